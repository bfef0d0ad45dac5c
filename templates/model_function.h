${prototype}
{
    ${call}
}
