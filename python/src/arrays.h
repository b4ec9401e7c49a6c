#ifndef MANYARMS_PYTHON_ARRAYS_H_
#define MANYARMS_PYTHON_ARRAYS_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

namespace manyarms::python {

/// The values of a vector as a NumPy array, without a copy; in rows of
/// `columns` values if that is not 0.
template <class T>
nanobind::object Array(std::vector<T> values, std::size_t columns = 0) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  const std::size_t size = owned->size();
  const nanobind::capsule owner(owned.release(), [](void* vector) noexcept {
    delete static_cast<std::vector<T>*>(vector);
  });
  if (columns == 0) {
    return nanobind::cast(
        nanobind::ndarray<nanobind::numpy, T>(data, {size}, owner));
  }
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(
      data, {size / columns, columns}, owner));
}

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_ARRAYS_H_
