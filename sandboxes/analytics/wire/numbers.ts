/** Doubles as the vendor prints them: 15 significant digits, or 17 where 15 do not read back as the same number. 16 are never tried. */
export function printDouble(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const short = value.toPrecision(15);
  return trimZeros(Number(short) === value ? short : value.toPrecision(17));
}

function trimZeros(digits: string): string {
  const [mantissa = "", exponent] = digits.split("e");
  const trimmed = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  if (exponent === undefined) return trimmed;
  // Exponents have a sign and at least two digits.
  return `${trimmed}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}
