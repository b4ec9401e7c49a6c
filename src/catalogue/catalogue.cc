#include "manyarms/catalogue.h"

#include "base/check.h"
#include "catalogue/state.h"

namespace manyarms {

Catalogue::Catalogue(std::size_t dim) : state_(std::make_unique<State>(dim)) {}
Catalogue::~Catalogue() = default;
Catalogue::Catalogue(Catalogue&&) noexcept = default;
Catalogue& Catalogue::operator=(Catalogue&&) noexcept = default;

void Catalogue::Reserve(std::size_t arms) { state_->store.Reserve(arms); }

void Catalogue::Add(std::span<const ArmId> ids, const FeatureRows& features) {
  state_->store.Add(ids, features);
}

void Catalogue::Add(ArmId id, std::span<const float> features) {
  state_->store.Add(id, features);
}

void Catalogue::Remove(std::span<const ArmId> ids) {
  ArmStore& store = state_->store;
  store.Remove(store.DistinctSlots(ids));
}

void Catalogue::Remove(ArmId id) { state_->store.Remove(id); }

void Catalogue::Update(std::span<const ArmId> ids,
                       const FeatureRows& features) {
  ArmStore& store = state_->store;
  const std::vector<float> rows =
      CheckedRows(features, ids.size(), store.dim());
  store.Replace(store.DistinctSlots(ids), rows);
}

bool Catalogue::Contains(ArmId id) const {
  const auto lock = state_->store.ReadLock();
  return state_->store.Find(id).has_value();
}

std::vector<ArmId> Catalogue::Ids() const {
  const auto lock = state_->store.ReadLock();
  return state_->store.Ids();
}

std::vector<float> Catalogue::Features(std::span<const ArmId> ids) const {
  const ArmStore& store = state_->store;
  const auto lock = store.ReadLock();
  std::vector<float> rows(ids.size() * store.dim());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    store.CopyFeatures(store.At(ids[i]),
                       std::span(rows).subspan(i * store.dim(), store.dim()));
  }
  return rows;
}

std::vector<ArmPlace> Catalogue::Places(std::span<const ArmId> ids) const {
  const auto lock = state_->store.ReadLock();
  std::vector<ArmPlace> places;
  places.reserve(ids.size());
  for (const ArmId id : ids) places.push_back(state_->store.At(id));
  return places;
}

std::size_t Catalogue::size() const {
  const auto lock = state_->store.ReadLock();
  return state_->store.size();
}

std::size_t Catalogue::dim() const { return state_->store.dim(); }

std::size_t Catalogue::memory_bytes() const {
  const auto lock = state_->store.ReadLock();
  return state_->store.memory_bytes();
}

}  // namespace manyarms
