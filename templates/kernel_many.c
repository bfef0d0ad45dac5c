/* For many rows: another schedule, the same bits. */
${attribute}
${prototype}
{
${body}
}
