#ifdef __cplusplus
extern "C" {
#endif

/* One argument of a kernel. The chunks of a batch, an axis of some arrays, are ceil(rows * positions / 4096); with
   layout=nchw and s = ceil(positions / 64) they are ceil(rows / floor(64 / s)), or if s > 64, rows * ceil(positions / 4096). */
typedef struct ${p}arg {
    const char *name;
    const char *ctype;
    const char *dtype; /* size_t, ptrdiff_t, f32, f64, bf16, f16, s8, u8, e4m3 */
    const char *shape; /* "scalar", or axes, such as "rows,h": names, or numbers where the kernel fixes them */
    const char *io;    /* "in", "out" or "inout" */
} ${p}arg;

/* One kernel of this set. */
typedef struct ${p}kernel {
    const char *name;     /* without prefix and target */
    const char *target;
    const char *spec;     /* what to hand to normgen to make it again */
    const char *schedule; /* empty for targets that have none */
    size_t h;             /* hidden size: elements in a row */
    size_t read_bytes;    /* read for each row; for each position, if the kernel has positions */
    size_t write_bytes;   /* written for these */
    size_t call_read_bytes;  /* read beside that: parameters and statistics, those of one batch or chunk */
    size_t call_write_bytes;
    size_t arg_count;
    const ${p}arg *args;  /* in call order */
    void (*fn)(void);     /* cast it to the kernel's prototype */
    /* Calls the kernel: pointer arguments in call order, scalar arguments but rows in call order; whole numbers among them
       are exact up to 2^53. stride is not used by kernels of contiguous rows and may be NULL. */
    void (*invoke)(size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar);
    int (*runs_here)(void); /* 1 if this CPU and its operating system can run the kernel */
} ${p}kernel;

/* All kernels for the architecture that this was compiled for. */
${macro}API const ${p}kernel *${p}registry(size_t *count);

/* Tests what kernels rely on, and, by rows with known results, each kernel of the registry that can run here.
   0: all is well. 1: the calling thread does not round to nearest. 2: it flushes subnormal numbers to zero. 3: the compiler
   fuses or widens arithmetic in spite of what kernels do against that. 4 and more: kernel number code - 4 of the registry
   gives other bits. Works in ${bytes} bytes of static memory: not to be called by two threads at a time. */
${macro}API int ${p}selftest(void);

/* What a code of the self-test means. */
${macro}API const char *${p}selftest_message(int code);

${dispatcher}

${prototypes}

#ifdef __cplusplus
}
#endif
