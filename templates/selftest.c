/* The self-test. Inputs and results do not come near over- or underflow, and no result is NaN. */

enum { ${p}selftest_period = ${period} };

/* The size of an argument: the elements of an array, and whether they are without a sign, or a whole number. */
typedef struct ${p}selftest_size {
    size_t size;
    int is_unsigned;
} ${p}selftest_size;

/* How many rows a kernel is run on, and 64-bit hashes of their outputs; row r is golden row r % period. Where there are sizes,
   one hash of all arrays. */
typedef struct ${p}selftest_golden {
    size_t rows;
    uint64_t hash[${p}selftest_period];
    const ${p}selftest_size *sizes;
} ${p}selftest_golden;

${sizes}
static const ${p}selftest_golden ${p}selftest_goldens[] = {
${golden}
    { 0, { 0 }, NULL },
};

/* Dtypes: bytes of an element, bits of precision (the hidden one included) and of the exponent. */
typedef struct ${p}selftest_format {
    const char *name;
    size_t bytes;
    int precision;
    int exponent;
} ${p}selftest_format;

static const ${p}selftest_format ${p}selftest_formats[] = {
    { "f32", 4, 24, 8 },
    { "bf16", 2, 8, 8 },
    { "f16", 2, 11, 5 },
    { "f64", 8, 53, 11 },
    { "s8", 1, 7, 1 }, /* those of 8 bits are for outputs */
    { "u8", 1, 7, 1 },
    { "e4m3", 1, 4, 4 },
};

/* All arrays of the kernel under test. */
static unsigned char ${p}selftest_memory[${bytes}] __attribute__((__aligned__(8)));

static const ${p}selftest_format *${p}selftest_format_of(const ${p}arg *arg)
{
    const ${p}selftest_format *format = ${p}selftest_formats;
    while (strcmp(format->name, arg->dtype) != 0)
        ++format;
    return format;
}

static uint64_t ${p}selftest_load(const unsigned char *p, size_t bytes)
{
    uint16_t half;
    uint32_t word;
    uint64_t pair;
    if (bytes == 1)
        return *p;
    if (bytes == sizeof half) {
        memcpy(&half, p, sizeof half);
        return half;
    }
    if (bytes == sizeof word) {
        memcpy(&word, p, sizeof word);
        return word;
    }
    memcpy(&pair, p, sizeof pair);
    return pair;
}

static void ${p}selftest_store(unsigned char *p, size_t bytes, uint64_t bits)
{
    const uint16_t half = (uint16_t)bits;
    const uint32_t word = (uint32_t)bits;
    if (bytes == 1)
        *p = (unsigned char)bits;
    else if (bytes == sizeof half)
        memcpy(p, &half, sizeof half);
    else if (bytes == sizeof word)
        memcpy(p, &word, sizeof word);
    else
        memcpy(p, &bits, sizeof bits);
}

/* The bits of a normal number or zero that the format can hold exactly. */
static uint64_t ${p}selftest_bits(const ${p}selftest_format *format, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits << 1 == 0)
        return 0;
    const int biased = (int)(bits >> 52 & 0x7ffu) - 1023 + (1 << (format->exponent - 1)) - 1;
    const uint64_t upper = ((bits >> 63) << format->exponent) + (uint64_t)biased;
    return (upper << (format->precision - 1)) + ((bits & 0xfffffffffffffu) >> (53 - format->precision));
}

/* Fills a row with numbers from -1 to less than 3. */
static void ${p}selftest_fill(const ${p}selftest_format *format, unsigned char *row, size_t n, size_t stream)
{
    const int bits = format->precision < 32 ? format->precision : 32;
    const double unit = (double)((uint32_t)1 << (bits - 2));
    uint32_t state = (uint32_t)stream * 123456789u;
    for (size_t i = 0; i < n; ++i) {
        state = state * 1664525u + 1013904223u;
        ${p}selftest_store(row + i * format->bytes, format->bytes,
                           ${p}selftest_bits(format, ((double)(state >> (32 - bits)) - unit) / unit));
    }
}

/* Continues a hash in two parts over a row. */
static void ${p}selftest_hash(const ${p}selftest_format *format, const unsigned char *row, size_t n, uint64_t *hash)
{
    static const uint32_t factors[2] = { 65599u, 1000003u };
    const uint64_t prime = 4294967291u;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t bits = ${p}selftest_load(row + i * format->bytes, format->bytes);
        for (int k = 0; k < 2; ++k) {
            hash[k] = (hash[k] * factors[k] + (bits & 0xffffffffu)) % prime;
            hash[k] = (hash[k] * factors[k] + (bits >> 32)) % prime;
        }
    }
}

/* An array of `rows` rows, or of one row (a parameter), with n elements in each. */
typedef struct ${p}selftest_array {
    const ${p}selftest_format *format;
    unsigned char *data;
    size_t rows, n;
    int is_output;
} ${p}selftest_array;

/* The product of the axes of a shape from `axis` on: "h", or a number. */
static size_t ${p}selftest_product(const ${p}kernel *kernel, const char *axis)
{
    size_t product = 1;
    while (*axis != 0) {
        size_t number = 0;
        for (; *axis >= '0' && *axis <= '9'; ++axis)
            number = number * 10 + (size_t)(*axis - '0');
        product *= *axis == 'h' ? kernel->h : number;
        axis += *axis == 'h';
        axis += *axis == ',';
    }
    return product;
}

/* Whether the kernel gives the golden arrays. */
static int ${p}selftest_of_arrays(const ${p}kernel *kernel, const ${p}selftest_golden *golden)
{
    ${p}selftest_array arrays[${arguments}];
    void *ptr[${arguments}] = { NULL };
    double scalar[${arguments}] = { 0 };
    size_t count = 0, scalars = 0;
    uint64_t hash[2] = { 0, 0 };
    unsigned char *end = ${p}selftest_memory;
    for (size_t i = 1; i < kernel->arg_count; ++i) {
        const ${p}arg *arg = &kernel->args[i];
        const ${p}selftest_size size = golden->sizes[i];
        if (strcmp(arg->shape, "scalar") == 0) {
            scalar[scalars++] = strcmp(arg->dtype, "size_t") == 0 ? (double)size.size : 0.8125;
            continue;
        }
        const ${p}selftest_array array = { ${p}selftest_format_of(arg), end, 1, size.size, strcmp(arg->io, "in") != 0 };
        const size_t bytes = array.format->bytes;
        ${p}selftest_fill(array.format, end, array.n, i * ${p}selftest_period + 1);
        for (size_t k = 0; size.is_unsigned && k < array.n; ++k)
            ${p}selftest_store(end + k * bytes, bytes, ${p}selftest_load(end + k * bytes, bytes) & ~((uint64_t)1 << (8 * bytes - 1)));
        end += (array.n * bytes + 7) / 8 * 8;
        ptr[count] = array.data;
        arrays[count++] = array;
    }
    kernel->invoke(golden->rows, ptr, NULL, scalar);
    for (size_t i = 0; i < count; ++i) {
        if (arrays[i].is_output)
            ${p}selftest_hash(arrays[i].format, arrays[i].data, arrays[i].n, hash);
    }
    return (hash[0] << 32 | hash[1]) == golden->hash[0];
}

/* Whether the kernel gives the golden rows. Outputs are filled before, too, so that what it does not write shows. */
static int ${p}selftest_kernel(const ${p}kernel *kernel, const ${p}selftest_golden *golden)
{
    if (golden->sizes != NULL)
        return ${p}selftest_of_arrays(kernel, golden);
    ${p}selftest_array arrays[${arguments}];
    void *ptr[${arguments}];
    ptrdiff_t stride[${arguments}];
    double scalar[${arguments}];
    size_t count = 0, strides = 0, scalars = 0;
    const char *shape = "";
    unsigned char *end = ${p}selftest_memory;
    for (size_t i = 1; i < kernel->arg_count; ++i) {
        const ${p}arg *arg = &kernel->args[i];
        if (strcmp(arg->dtype, "ptrdiff_t") == 0) {
            const size_t suffix = sizeof "_head_stride" - 1, length = strlen(arg->name);
            const int is_of_heads = length > suffix && strcmp(arg->name + length - suffix, "_head_stride") == 0;
            stride[strides++] = (ptrdiff_t)(is_of_heads ? ${p}selftest_product(kernel, strrchr(shape, ',') + 1) : kernel->h);
        } else if (strcmp(arg->shape, "scalar") == 0) {
            scalar[scalars++] = strcmp(arg->dtype, "size_t") == 0 ? 1 : 0.8125;
        } else {
            ${p}selftest_array *array = &arrays[count];
            array->format = ${p}selftest_format_of(arg);
            array->data = end;
            const char *const comma = strchr(arg->shape, ',');
            const int has_rows = arg->shape[0] == 'r' || arg->shape[0] == 'b'; /* a batch is one row here */
            shape = arg->shape;
            array->rows = has_rows ? golden->rows : 1;
            array->n = ${p}selftest_product(kernel, !has_rows ? arg->shape : comma != NULL ? comma + 1 : "");
            array->is_output = strcmp(arg->io, "out") == 0;
            const size_t row_bytes = array->n * array->format->bytes;
            for (size_t row = 0; row < array->rows; ++row) {
                const size_t stream = i * ${p}selftest_period + row % ${p}selftest_period + 1;
                ${p}selftest_fill(array->format, end + row * row_bytes, array->n, stream);
            }
            end += (array->rows * row_bytes + 7) / 8 * 8;
            ptr[count++] = array->data;
        }
    }
    kernel->invoke(golden->rows, ptr, stride, scalar);
    for (size_t row = 0; row < golden->rows; ++row) {
        uint64_t hash[2] = { 0, 0 };
        for (size_t i = 0; i < count; ++i) {
            const ${p}selftest_array *array = &arrays[i];
            if (array->is_output)
                ${p}selftest_hash(array->format, array->data + row * array->n * array->format->bytes, array->n, hash);
        }
        if ((hash[0] << 32 | hash[1]) != golden->hash[row % ${p}selftest_period])
            return 0;
    }
    return 1;
}

/* Half a unit in the last place is rounded to the even neighbour, upwards and downwards, above and below zero. */
static int ${p}selftest_rounds_to_nearest(void)
{
    const volatile float one = 1.0f, odd = 0x1.000002p+0f, half_unit = 0x1p-24f;
    const volatile float down = one + half_unit, up = odd + half_unit;
    const volatile float minus_down = -one - half_unit, minus_up = -odd - half_unit;
    return down == 1.0f && up == 0x1.000004p+0f && minus_down == -1.0f && minus_up == -0x1.000004p+0f;
}

/* Subnormals are neither flushed as results nor as operands. */
static int ${p}selftest_keeps_subnormals(void)
{
    const volatile float least_normal = 0x1p-126f, half = 0.5f, large = 0x1p+24f;
    const volatile float subnormal = least_normal * half;
    const volatile float back = subnormal * large;
    return back == 0x1p-103f;
}

/* A product is rounded before it is added, if it goes through the empty asm that kernels use where that matters.
   (What a compiler fuses elsewhere changes nothing: kernels leave it nothing to fuse.) */
static int ${p}selftest_rounds_products(void)
{
    const volatile float factor = 0x1.001p+0f, rounded = 0x1.002p+0f;
    float product = factor * factor;
    __asm__("" : "+m"(product));
    const volatile float difference = product - rounded;
    return difference == 0.0f;
}

int ${p}selftest(void)
{
    const size_t count = sizeof ${p}registry_kernels / sizeof ${p}registry_kernels[0] - 1;
    if (!${p}selftest_rounds_to_nearest())
        return 1;
    if (!${p}selftest_keeps_subnormals())
        return 2;
    if (!${p}selftest_rounds_products())
        return 3;
    for (size_t i = 0; i < count; ++i) {
        const ${p}kernel *kernel = &${p}registry_kernels[i];
        if (kernel->runs_here() && !${p}selftest_kernel(kernel, &${p}selftest_goldens[i]))
            return 4 + (int)i;
    }
    return 0;
}

const char *${p}selftest_message(int code)
{
    static const char *const messages[] = {
        "all is well",
        "the floating-point unit does not round to nearest",
        "the floating-point unit flushes subnormal numbers to zero",
        "the compiler fuses or widens arithmetic across a barrier",
    };
    return code >= 0 && code < 4 ? messages[code] : "a kernel gives other bits than the contract";
}
