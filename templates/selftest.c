/* The self-test. Inputs and results do not come near over- or underflow, and no result is NaN. */

enum { ${p}selftest_period = ${period} };

/* An argument: of an array the elements of a slice, whether there is a slice for each row, and whether elements are without a sign;
   else its value, if it is a whole number. */
typedef struct ${p}selftest_size {
    size_t size;
    int has_slices;
    int is_unsigned;
} ${p}selftest_size;

/* How many rows a kernel is run on, 64-bit hashes of its outputs, and its arguments. Slice r of the outputs is golden slice
   r % period; arrays without slices are one. */
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

/* Fills a slice with numbers from -1 to less than 3, without their sign if so asked. */
static void ${p}selftest_fill(const ${p}selftest_format *format, unsigned char *slice, size_t n, size_t stream, int is_unsigned)
{
    const int bits = format->precision < 32 ? format->precision : 32;
    const double unit = (double)((uint32_t)1 << (bits - 2));
    uint32_t state = (uint32_t)stream * 123456789u;
    for (size_t i = 0; i < n; ++i) {
        state = state * 1664525u + 1013904223u;
        const double value = ((double)(state >> (32 - bits)) - unit) / unit;
        ${p}selftest_store(slice + i * format->bytes, format->bytes,
                           ${p}selftest_bits(format, is_unsigned && value < 0.0 ? -value : value));
    }
}

/* Continues a hash in two parts over a slice. */
static void ${p}selftest_hash(const ${p}selftest_format *format, const unsigned char *slice, size_t n, uint64_t *hash)
{
    static const uint32_t factors[2] = { 65599u, 1000003u };
    const uint64_t prime = 4294967291u;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t bits = ${p}selftest_load(slice + i * format->bytes, format->bytes);
        for (int k = 0; k < 2; ++k) {
            hash[k] = (hash[k] * factors[k] + (bits & 0xffffffffu)) % prime;
            hash[k] = (hash[k] * factors[k] + (bits >> 32)) % prime;
        }
    }
}

/* An array with n elements in each slice. */
typedef struct ${p}selftest_array {
    const ${p}selftest_format *format;
    unsigned char *data;
    size_t slices, n;
    int is_output;
} ${p}selftest_array;

/* Whether the kernel gives the golden slices. Outputs are filled before, too, so that what it does not write shows. */
static int ${p}selftest_kernel(const ${p}kernel *kernel, const ${p}selftest_golden *golden)
{
    ${p}selftest_array arrays[${arguments}];
    void *ptr[${arguments}] = { NULL };
    ptrdiff_t stride[${arguments}] = { 0 };
    double scalar[${arguments}] = { 0 };
    size_t count = 0, strides = 0, scalars = 0, slices = 1;
    unsigned char *end = ${p}selftest_memory;
    for (size_t i = 1; i < kernel->arg_count; ++i) {
        const ${p}arg *arg = &kernel->args[i];
        const ${p}selftest_size size = golden->sizes[i];
        if (strcmp(arg->dtype, "ptrdiff_t") == 0) {
            stride[strides++] = (ptrdiff_t)size.size;
        } else if (strcmp(arg->shape, "scalar") == 0) {
            scalar[scalars++] = strcmp(arg->dtype, "size_t") == 0 ? (double)size.size : 0.8125;
        } else {
            ${p}selftest_array *array = &arrays[count];
            array->format = ${p}selftest_format_of(arg);
            array->data = end;
            array->slices = size.has_slices ? golden->rows : 1;
            array->n = size.size;
            array->is_output = strcmp(arg->io, "in") != 0;
            const size_t bytes = array->n * array->format->bytes;
            for (size_t slice = 0; slice < array->slices; ++slice) {
                const size_t stream = i * ${p}selftest_period + slice % ${p}selftest_period + 1;
                ${p}selftest_fill(array->format, end + slice * bytes, array->n, stream, size.is_unsigned);
            }
            if (array->is_output)
                slices = array->slices;
            end += (array->slices * bytes + 7) / 8 * 8;
            ptr[count++] = array->data;
        }
    }
    kernel->invoke(golden->rows, ptr, stride, scalar);
    for (size_t slice = 0; slice < slices; ++slice) {
        uint64_t hash[2] = { 0, 0 };
        for (size_t i = 0; i < count; ++i) {
            const ${p}selftest_array *array = &arrays[i];
            if (array->is_output)
                ${p}selftest_hash(array->format, array->data + slice * array->n * array->format->bytes, array->n, hash);
        }
        if ((hash[0] << 32 | hash[1]) != golden->hash[slice % ${p}selftest_period])
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
