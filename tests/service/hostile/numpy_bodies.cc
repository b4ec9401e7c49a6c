#include "tests/service/hostile/numpy_bodies.h"

#include <cstdint>
#include <cstring>

namespace manyarms::hostile {
namespace {

std::string Magic(char version, std::size_t header_length) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte) {
    text += static_cast<char>(header_length >> (8 * byte));
  }
  return text;
}

std::string Array(const std::string& type, const std::string& order,
                  const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + order +
                       ", 'shape': " + shape + ", }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  return Magic(1, header.size()) + header + data;
}

template <class Value>
void Append(Value value, std::string& data) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  data.append(bytes, sizeof value);
}

std::string Ids(bool named, std::size_t count, Chance& chance) {
  std::string data;
  if (!named) {
    for (std::size_t i = 0; i < count; ++i)
      Append<std::int64_t>(static_cast<std::int64_t>(chance.Below(60)), data);
    return Array("<i8", "False", "(" + std::to_string(count) + ",)", data);
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = "a" + chance.Number(60);
    name.resize(3, '\0');
    for (const char c : name)
      Append<std::uint32_t>(static_cast<unsigned char>(c), data);
  }
  return Array("<U3", "False", "(" + std::to_string(count) + ",)", data);
}

std::string Features(bool named, std::size_t count, Chance& chance) {
  const std::size_t dim = named ? 2 : 3;
  std::string data;
  for (std::size_t i = 0; i < count * dim; ++i)
    Append(static_cast<float>(chance.Below(100)) / 50, data);
  return Array("<f4", "False",
               "(" + std::to_string(count) + ", " + std::to_string(dim) + ")",
               data);
}

}  // namespace

std::string ArmsAsNumpy(bool named, Chance& chance) {
  const std::size_t count = chance.Below(5);
  return Ids(named, count, chance) + Features(named, count, chance);
}

std::string ForgedNumpy(bool named, Chance& chance) {
  static constexpr const char* kShapes[] = {"(18446744073709551615,)",
                                            "(4611686018427387904, 4)",
                                            "(-1,)",
                                            "()",
                                            "(0,)",
                                            "(3, 2)",
                                            "(1, 2, 3)",
                                            "(99999999999999999999999,)",
                                            "(2,",
                                            "2",
                                            "(4294967296, 4294967296)",
                                            "(3,), 'shape': (4,)",
                                            "(1000000000,)"};
  static constexpr const char* kTypes[] = {
      "<f4",          "<f8", ">f4", "|O",      "<U0",  "<U1000000000",
      "|S3",          "<i8", "<u8", "|b1",     "<c16", "<f2",
      "<U4294967295", "f4",  "",    "<M8[ns]", "|V8"};
  static constexpr const char* kOrders[] = {"False", "True", "Maybe", "0", ""};
  std::string data(chance.Below(200), '\x7f');
  if (chance.OneIn(2)) data.assign(data.size(), '\xff');
  std::string forged =
      Array(chance.Of(kTypes), chance.Of(kOrders), chance.Of(kShapes), data);
  switch (chance.Below(6)) {
    case 0:
      return forged;
    case 1:
      return Ids(named, 3, chance) + forged;
    case 2:
      return Magic(static_cast<char>(chance.Below(5)), chance.Below(SIZE_MAX)) +
             forged;
    case 3: {
      std::string text = ArmsAsNumpy(named, chance);
      return text.substr(0, chance.Below(text.size() + 1));
    }
    case 4:
      return ArmsAsNumpy(named, chance) + forged;
    default: {
      std::string text = ArmsAsNumpy(named, chance);
      for (std::size_t i = chance.Below(4) + 1; i > 0; --i)
        text[chance.Below(text.size())] = chance.Byte();
      return text;
    }
  }
}

}  // namespace manyarms::hostile
