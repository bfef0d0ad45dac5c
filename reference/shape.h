/* The axes of arguments and their sizes. */
#ifndef NG_REFERENCE_SHAPE_H
#define NG_REFERENCE_SHAPE_H

#include "arguments.h"

/* The axes of an array, outermost first. */
const ref_axis *ref_axes_of(const ref_spec *spec, ref_argument argument);

/* The positions of a call, 1 if the spec has none. */
size_t ref_positions(const ref_spec *spec, const ref_scalars *scalars);

/* The size of an axis. */
size_t ref_extent(const ref_spec *spec, ref_axis axis, const ref_scalars *scalars);

/* The shape of an argument as descriptors have it: "scalar", "rows,h", ...; axes that have no name are numbers. */
enum { REF_SHAPE_LENGTH = 64 };
void ref_shape_text(const ref_spec *spec, ref_argument argument, char text[REF_SHAPE_LENGTH]);

/* An array is `rows` rows of `columns` elements; one whose outermost axis is fixed by the spec is a single row. The
 * elements of a row are neighbours, or those of each of its `heads`, which have a stride in strided kernels. */
typedef struct ref_layout {
    size_t rows, columns, heads;
} ref_layout;

ref_layout ref_layout_of(const ref_spec *spec, ref_argument argument, const ref_scalars *scalars);

#endif
