#include "research/npy.h"

#include <bit>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "in_a_folder.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

std::string Npy(const std::string& header, const std::string& values,
                char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  const std::size_t bytes = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < bytes; ++i) {
    text += static_cast<char>(header.size() >> (8 * i) & 0xffU);
  }
  return text + header + values;
}

template <class Real>
std::string Bytes(const std::vector<Real>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(Real)};
}

NpyMatrix Read(const std::string& text) {
  std::istringstream in(text);
  return ReadNpy(in);
}

constexpr const char* kHeader =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }  \n";
std::vector<float> Values() { return {1, 2, 3, 4, 5, 6.5F}; }

TEST(Npy, IsReadWithFloatsAndDoubles) {
  const NpyMatrix floats = Read(Npy(kHeader, Bytes(Values())));
  EXPECT_EQ(floats.rows, 3);
  EXPECT_EQ(floats.columns, 2);
  EXPECT_EQ(std::get<std::vector<float>>(floats.values), Values());
  EXPECT_EQ(floats.Rows().At(2, 1), 6.5);
  const std::vector<double> doubles = {0.1, 0.2};
  const NpyMatrix read =
      Read(Npy("{'shape':(2,1),'fortran_order':False,'descr':'<f8'}",
               Bytes(doubles), 3));
  EXPECT_EQ(read.Rows().At(1, 0), 0.2);
  EXPECT_TRUE(read.Rows().are_doubles());
}

TEST(Npy, OfAnotherTypeOrShapeIsRefused) {
  const auto refuses = [](const std::string& header, const char* part) {
    ExpectError(ErrorCode::kUnsupported, {part},
                [&] { Read(Npy(header, std::string(24, '\0'))); });
  };
  refuses("{'descr': '>f4', 'fortran_order': False, 'shape': (3, 2)}", ">f4");
  refuses("{'descr': '<i8', 'fortran_order': False, 'shape': (3, 2)}", "<i8");
  refuses("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}",
          "records");
  refuses("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2)}",
          "Fortran");
  refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}",
          "1 dimensions");
  refuses("{'descr': '<f4', 'fortran_order': False, 'shape': ()}",
          "0 dimensions");
  ExpectError(ErrorCode::kUnsupported, {"version 4"},
              [] { Read(Npy(kHeader, Bytes(Values()), 4)); });
}

TEST(Npy, CutOffAnywhereIsRefused) {
  const std::string text = Npy(kHeader, Bytes(Values()));
  for (std::size_t length = 0; length < text.size(); ++length) {
    ExpectError(ErrorCode::kCorrupt, {}, [&] { Read(text.substr(0, length)); });
  }
  ExpectError(ErrorCode::kCorrupt, {"follows"}, [&] { Read(text + '\0'); });
}

TEST(Npy, WithAnImpossibleShapeTakesNoMemory) {
  for (const std::string shape :
       {"(1000000000000, 1000)", "(18446744073709551615, 3)",
        "(99999999999999999999, 1)", "(-1, 2)"}) {
    ExpectError(ErrorCode::kCorrupt, {}, [&] {
      Read(Npy(
          "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}",
          Bytes(Values())));
    });
  }
}

TEST(Npy, WithRandomChangesIsReadOrRefused) {
  const std::string good = Npy(kHeader, Bytes(Values()));
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    RandomStream random(seed, RandomStream::Role::kArm, 3);
    std::string text = good;
    for (std::uint64_t changes = random.Below(3) + 1; changes > 0; --changes) {
      text[random.Below(80)] = static_cast<char>(random.Bits());
    }
    try {
      Read(text);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 4000);
}

class NpyFiles : public testing::InAFolder {};

TEST_F(NpyFiles, AreNamedInErrors) {
  std::ofstream(folder_ / "a.npy") << "hello";
  ExpectError(ErrorCode::kCorrupt, {"a.npy"},
              [&] { ReadNpy(folder_ / "a.npy"); });
  ExpectError(ErrorCode::kIo, {"b.npy"}, [&] { ReadNpy(folder_ / "b.npy"); });
}

}  // namespace
}  // namespace manyarms
