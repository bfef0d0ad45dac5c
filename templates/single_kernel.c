/* ${symbol}
 *
${notes}
 */
${code}
