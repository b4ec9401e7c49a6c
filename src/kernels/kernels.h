#ifndef MANYARMS_KERNELS_KERNELS_H_
#define MANYARMS_KERNELS_KERNELS_H_

/// All loops over blocks of arms and over rows, in vector instructions that are
/// chosen at run time.
///
/// Every score of an arm is computed lane by lane in one fixed order of fused
/// multiply-adds. It depends neither on the width of the registers nor on
/// whether the arm is scored alone or in a scan, so scores from two searches
/// can be compared for equality. (Instruction sets without fused multiply-add,
/// SSE4 and older, round differently from those with it.)

#include "kernels/block_rows.h"
#include "kernels/blocks.h"
#include "kernels/bounds.h"
#include "kernels/compact.h"
#include "kernels/directions.h"
#include "kernels/gaussians.h"
#include "kernels/inner_product.h"
#include "kernels/instruction_set.h"
#include "kernels/optimism.h"
#include "kernels/packed_factor.h"
#include "kernels/quadratic_form.h"
#include "kernels/quadratic_optimism.h"
#include "kernels/rows.h"
#include "kernels/top_hits.h"

#endif  // MANYARMS_KERNELS_KERNELS_H_
