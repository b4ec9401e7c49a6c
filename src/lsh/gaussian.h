#ifndef MANYARMS_LSH_GAUSSIAN_H_
#define MANYARMS_LSH_GAUSSIAN_H_

/// Tails of the normal distribution, exact to about ten digits. A plan made
/// from their asymptotics would be wrong by orders of magnitude for any number
/// of points that fits into a machine.
namespace manyarms::lsh {

/// F in the paper: P(z >= x) for a standard normal z.
double UpperTail(double x);

/// G in the paper: P(y >= a and z >= b) for standard normal y and z with this
/// correlation. REQUIRES: it is within [-1, 1].
double JointUpperTail(double a, double b, double correlation);

}  // namespace manyarms::lsh

#endif  // MANYARMS_LSH_GAUSSIAN_H_
