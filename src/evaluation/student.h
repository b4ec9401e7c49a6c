#ifndef MANYARMS_EVALUATION_STUDENT_H_
#define MANYARMS_EVALUATION_STUDENT_H_

namespace manyarms {

/// P(|T| > t) for Student's t distribution. REQUIRES: t >= 0, freedom >= 1.
double StudentBeyond(double t, double freedom);

/// The t with P(|T| <= t) = level. REQUIRES: level in (0, 1), freedom >= 1.
double StudentQuantile(double level, double freedom);

}  // namespace manyarms

#endif  // MANYARMS_EVALUATION_STUDENT_H_
