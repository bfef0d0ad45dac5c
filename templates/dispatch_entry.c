${prototype}
{
    switch (target_index()) {
${cases}
    default:
        abort();
    }
}

