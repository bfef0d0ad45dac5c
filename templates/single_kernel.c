
/* ${symbol}
 *
${notes}
 */
${code}
