#ifndef MANYARMS_CONTEXT_H_
#define MANYARMS_CONTEXT_H_

#include <span>

namespace manyarms {

/// What is known about the situation of a choice: the hour, the page, the
/// visitor. With BanditOptions::context_dim = p it is a vector of p values, and
/// the reward of arm x in context c is expected to be c'Mx. A constant 1 is
/// appended to both (BanditOptions::context_constants), so that M also has the
/// arms' own effect and the context's own.
///
/// A view of the caller's array. Empty if the bandit has no contexts.
using Context = std::span<const float>;

/// Bounds on a context's values, and on the regularisation of bandits with
/// contexts. They keep every score finite in float.
inline constexpr double kMaxContextValue = 1e3;
inline constexpr double kMinContextRegularisation = 1e-3;

}  // namespace manyarms

#endif  // MANYARMS_CONTEXT_H_
