${arguments}

${kernels}

static const ${p}kernel ${p}registry_kernels[] = {
${entries}
    { NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL },
};

const ${p}kernel *${p}registry(size_t *count)
{
    *count = sizeof ${p}registry_kernels / sizeof ${p}registry_kernels[0] - 1;
    return ${p}registry_kernels;
}

${selftest}
