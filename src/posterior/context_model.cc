#include "posterior/context_model.h"

#include <fmt/format.h>

#include <cmath>

#include "manyarms/error.h"
#include "manyarms/types.h"

namespace manyarms {
namespace {

[[noreturn]] void Fail(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

void CheckValues(Context context, const std::string& whose) {
  for (std::size_t i = 0; i < context.size(); ++i) {
    // Written so that NaN fails too.
    if (!(std::abs(context[i]) <= kMaxContextValue)) {
      Fail(fmt::format(
          "value {} of {} is {}, must be finite and at most {:g} in magnitude",
          i, whose, context[i], kMaxContextValue));
    }
  }
}

}  // namespace

ContextModel::ContextModel(const Shape& shape) : shape_(shape) {
  if (shape.context_dim > kMaxDim || coefficients() > kMaxDim) {
    Fail(fmt::format(
        "contexts of {} values and arms of {} features have {} coefficients, "
        "must be at most {}",
        shape.context_dim, shape.arm_dim - (shape.constant_is_stored ? 1 : 0),
        coefficients(), kMaxDim));
  }
}

std::size_t ContextModel::rows() const {
  if (!has_contexts()) return 1;
  return shape_.context_dim + (shape_.constants ? 1 : 0);
}

std::size_t ContextModel::columns() const {
  const bool lacks_constant =
      has_contexts() && shape_.constants && !shape_.constant_is_stored;
  return shape_.arm_dim + (lacks_constant ? 1 : 0);
}

void ContextModel::Check(Context context) const {
  if (context.size() != shape_.context_dim) {
    if (!has_contexts()) {
      Fail(fmt::format("a context of {} values given, but context_dim is 0",
                       context.size()));
    }
    if (context.empty()) {
      Fail(fmt::format("no context given, must have {} values",
                       shape_.context_dim));
    }
    Fail(fmt::format("a context of {} values given, must have {}",
                     context.size(), shape_.context_dim));
  }
  CheckValues(context, "the context");
}

void ContextModel::CheckAll(std::span<const float> contexts,
                            std::size_t count) const {
  const std::size_t p = shape_.context_dim;
  if (contexts.size() != count * p) {
    if (contexts.empty()) {
      Fail(fmt::format("no contexts given, must be {} of {} values", count, p));
    }
    Fail(
        fmt::format("{} values of contexts given, must be {}: {} for each of "
                    "{}",
                    contexts.size(), count * p, p, count));
  }
  for (std::size_t i = 0; p > 0 && i < count; ++i) {
    CheckValues(contexts.subspan(i * p, p), fmt::format("context {}", i));
  }
}

void ContextModel::CheckOneOrAll(std::span<const float> contexts,
                                 std::size_t count) const {
  if (count != 1 && contexts.size() == count * shape_.context_dim) {
    CheckAll(contexts, count);
  } else {
    Check(contexts);
  }
}

Eigen::VectorXd ContextModel::Extended(Context context) const {
  Eigen::VectorXd extended =
      Eigen::VectorXd::Ones(static_cast<Eigen::Index>(rows()));
  for (std::size_t i = 0; i < context.size(); ++i) {
    extended[static_cast<Eigen::Index>(i)] = context[i];
  }
  return extended;
}

std::vector<double> ContextModel::Products(Context context,
                                           std::span<const float> arm) const {
  const Eigen::VectorXd extended = Extended(context);
  std::vector<double> products;
  products.reserve(coefficients());
  for (const double value : extended) {
    for (const float feature : arm) products.push_back(value * feature);
    if (columns() > arm.size()) products.push_back(value);
  }
  return products;
}

Eigen::VectorXd ContextModel::Direction(const Eigen::VectorXd& coefficients,
                                        Context context) const {
  if (!has_contexts()) return coefficients;
  const Eigen::VectorXd extended = Extended(context);
  const auto width = static_cast<Eigen::Index>(columns());
  Eigen::VectorXd direction = Eigen::VectorXd::Zero(width);
  for (Eigen::Index i = 0; i < extended.size(); ++i) {
    direction += extended[i] * coefficients.segment(i * width, width);
  }
  return direction;
}

double ContextModel::Length(Context context) const {
  return Extended(context).norm();
}

bool ContextModel::MayHaveOrder(Context context) const {
  return !has_contexts() || Length(context) >= 0x1p-10;
}

double ContextModel::Predict(const Eigen::VectorXd& direction,
                             std::span<const float> arm) {
  double reward = 0;
  for (std::size_t j = 0; j < arm.size(); ++j) {
    reward += direction[static_cast<Eigen::Index>(j)] * arm[j];
  }
  const auto constant = static_cast<Eigen::Index>(arm.size());
  return direction.size() > constant ? reward + direction[constant] : reward;
}

void ContextModel::Learn(Posterior& posterior, Context context,
                         std::span<const float> arm, double reward) const {
  if (has_contexts()) {
    posterior.Update(Products(context, arm), reward);
  } else {
    posterior.Update(arm, reward);
  }
}

double ContextModel::Width(const Posterior& posterior, Context context,
                           std::span<const float> arm) const {
  return has_contexts() ? posterior.Width(Products(context, arm))
                        : posterior.Width(arm);
}

}  // namespace manyarms
