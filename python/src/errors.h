#ifndef MANYARMS_PYTHON_ERRORS_H_
#define MANYARMS_PYTHON_ERRORS_H_

namespace manyarms::python {

/// From now on the library's errors arrive as those of manyarms/errors.py.
void TranslateErrors();

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_ERRORS_H_
