#include "shape.h"

#include <stdio.h>

#include "contract.h"

size_t ref_positions(const ref_spec *spec, const ref_scalars *scalars)
{
    return ref_has_positions(spec) ? (size_t)scalars->of[REF_POSITION_COUNT] : 1;
}

/* Channels as shapes call them. */
static ref_axis channel_axis(const ref_spec *spec)
{
    return spec->shards != 0 ? REF_SHARD : spec->c != 0 ? REF_C : REF_H;
}

/* The axes of a norm over other axes: of x, residual and y; */
static const ref_axis *matrix_axes(const ref_spec *spec)
{
    static const ref_axis nchw_c[REF_MAX_AXES] = {REF_ROWS, REF_C, REF_POSITIONS},
                          nchw_h[REF_MAX_AXES] = {REF_ROWS, REF_H, REF_POSITIONS},
                          nhwc[REF_MAX_AXES] = {REF_ROWS, REF_POSITIONS, REF_C}, rows[REF_MAX_AXES] = {REF_ROWS, REF_C},
                          shard[REF_MAX_AXES] = {REF_ROWS, REF_SHARD};
    return spec->shards != 0             ? shard
           : spec->layout == REF_NHWC    ? nhwc
           : spec->layout != REF_NCHW    ? rows
           : channel_axis(spec) == REF_C ? nchw_c
                                         : nchw_h;
}

/* of gamma and beta; */
static const ref_axis *parameter_axes(const ref_spec *spec)
{
    static const ref_axis c[REF_MAX_AXES] = {REF_C}, g[REF_MAX_AXES] = {REF_GROUPS}, h[REF_MAX_AXES] = {REF_H},
                          shard[REF_MAX_AXES] = {REF_SHARD}, rows_c[REF_MAX_AXES] = {REF_ROWS, REF_C};
    return spec->affine == REF_GROUP          ? g
           : spec->direction == REF_FOLDSTATS ? rows_c
           : spec->shards != 0                ? shard
           : spec->c != 0                     ? c
                                              : h;
}

/* and of statistics, of the whole or of parts. */
static const ref_axis *statistic_axes(const ref_spec *spec, ref_argument argument)
{
    static const ref_axis c[REF_MAX_AXES] = {REF_C}, rows_c[REF_MAX_AXES] = {REF_ROWS, REF_C},
                          chunks_c[REF_MAX_AXES] = {REF_CHUNKS, REF_C};
    if (spec->shards != 0) {
        return ref_arguments[argument].axes;
    }
    const int is_part = spec->direction == REF_STATS || argument == REF_PART_MEAN || argument == REF_PART_SHIFT ||
                        argument == REF_PART_M2;
    return is_part ? chunks_c : spec->direction == REF_FOLDSTATS ? rows_c : c;
}

const ref_axis *ref_axes_of(const ref_spec *spec, ref_argument argument)
{
    return !ref_is_over_axes(spec) || !ref_is_array(argument)      ? ref_arguments[argument].axes
           : ref_arguments[argument].kind == REF_MATRIX            ? matrix_axes(spec)
           : argument == REF_GAMMA_ROW || argument == REF_BETA_ROW ? parameter_axes(spec)
                                                                   : statistic_axes(spec, argument);
}

/* What axes are: the name that shapes have, NULL where the size is a number there, and whether the call decides. */
static const struct {
    const char *name;
    int of_call;
} axes[REF_AXES] = {
    [REF_ROWS] = {"rows", 1},
    [REF_BATCH] = {"batch", 1},
    [REF_H] = {"h", 0},
    [REF_PARTS] = {NULL, 0},
    [REF_HEADS] = {NULL, 0},
    [REF_HEAD] = {NULL, 0},
    [REF_POSITIONS] = {"positions", 1},
    [REF_C] = {"c", 0},
    [REF_GROUPS] = {"g", 0},
    [REF_CHUNKS] = {"chunks", 1},
    [REF_SHARDS] = {"shards", 0},
    [REF_SHARD] = {"h/shards", 0},
};

/* "Rows of a batch lie one behind the other, rows_per_batch of them"; the last batch may have fewer. */
static size_t batches(const ref_scalars *scalars)
{
    const size_t rows = (size_t)scalars->of[REF_ROWS_PER_BATCH];
    return rows > 0 ? (scalars->rows + rows - 1) / rows : 0;
}

size_t ref_extent(const ref_spec *spec, ref_axis axis, const ref_scalars *scalars)
{
    const size_t positions = ref_positions(spec, scalars);
    const size_t extents[REF_AXES] = {
        [REF_NO_AXIS] = 1,
        [REF_ROWS] = scalars->rows,
        [REF_BATCH] = batches(scalars),
        [REF_H] = spec->h,
        [REF_HEADS] = spec->heads,
        [REF_HEAD] = spec->h / spec->heads,
        [REF_PARTS] = ref_parts(spec),
        [REF_POSITIONS] = positions,
        [REF_C] = spec->c,
        [REF_GROUPS] = spec->g,
        [REF_CHUNKS] = ref_batch_chunks(spec->layout == REF_NCHW, scalars->rows, positions),
        [REF_SHARDS] = spec->shards,
        [REF_SHARD] = ref_channels(spec),
    };
    return extents[axis];
}

/* The axes of an argument as a spec has them: heads cut h in two, and where a row has no parts, they are no axis. */
static size_t axes_of(const ref_spec *spec, ref_argument argument, ref_axis to[REF_MAX_AXES])
{
    size_t count = 0;
    for (int i = 0; i < REF_MAX_AXES && ref_axes_of(spec, argument)[i] != REF_NO_AXIS; i++) {
        const ref_axis axis = ref_axes_of(spec, argument)[i];
        if (axis == REF_H && spec->heads > 1) {
            to[count++] = REF_HEADS;
            to[count++] = REF_HEAD;
        } else if (axis != REF_PARTS || ref_parts(spec) > 1) {
            to[count++] = axis;
        }
    }
    return count;
}

void ref_shape_text(const ref_spec *spec, ref_argument argument, char text[REF_SHAPE_LENGTH])
{
    static const ref_scalars no_scalars;
    ref_axis shape[REF_MAX_AXES];
    const size_t count = axes_of(spec, argument, shape);
    size_t length = (size_t)snprintf(text, REF_SHAPE_LENGTH, "%s", count == 0 ? "scalar" : "");
    for (size_t i = 0; i < count; i++) {
        const char *name = axes[shape[i]].name;
        const char *comma = i > 0 ? "," : "";
        char *const end = text + length;
        const size_t left = REF_SHAPE_LENGTH - length;
        length += (size_t)(name != NULL ? snprintf(end, left, "%s%s", comma, name)
                                        : snprintf(end, left, "%s%zu", comma, ref_extent(spec, shape[i], &no_scalars)));
    }
}

ref_layout ref_layout_of(const ref_spec *spec, ref_argument argument, const ref_scalars *scalars)
{
    const ref_axis *const axis = ref_axes_of(spec, argument);
    ref_layout layout = {1, 1, ref_arguments[argument].kind == REF_MATRIX ? spec->heads : 1};
    for (int i = 0; i < REF_MAX_AXES; i++) {
        size_t *const counted = i == 0 && axes[axis[i]].of_call ? &layout.rows : &layout.columns;
        *counted *= ref_extent(spec, axis[i], scalars);
    }
    return layout;
}
