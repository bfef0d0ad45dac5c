${prototype}
{
    switch (${p}dispatch_index()) {
${cases}
    default:
        abort();
    }
}

