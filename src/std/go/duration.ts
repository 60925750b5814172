/** Upstream: Go's time.Duration, as flags and configuration files write it. */
const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // micro sign
  μs: 1e-3, // Greek mu
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Limit of Go's durations: 2^63 nanoseconds. */
const maxMs = 2 ** 63 / 1e6;

/** Milliseconds of a duration such as `1h30m5.5s`. Throws SyntaxError with Go's message. */
export function parseDuration(text: string): number {
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return 0;
  const failure = (reason: string) => new SyntaxError(`time: ${reason} ${quote(text)}`);
  if (unsigned === "") throw failure("invalid duration");
  let totalMs = 0;
  for (let rest = unsigned; rest !== ""; ) {
    const number = /^(\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) throw failure("invalid duration");
    const unit = /^[^.\d]*/.exec(rest.slice(number.length))?.[0] ?? "";
    if (unit === "") throw failure("missing unit in duration");
    const scale = Object.hasOwn(unitMs, unit) ? unitMs[unit] : undefined;
    if (scale === undefined) throw failure(`unknown unit ${quote(unit)} in duration`);
    totalMs += Number(number) * scale;
    rest = rest.slice(number.length + unit.length);
  }
  if (totalMs >= maxMs) throw failure("invalid duration");
  return text.startsWith("-") ? -totalMs : totalMs;
}

/** A duration as Go prints it: `1h0m0s`, `1.5s`, `100ms`, `0s`. Rounded to nanoseconds. */
export function formatDuration(ms: number): string {
  const nanoseconds = Math.round(Math.abs(ms) * 1e6);
  if (nanoseconds === 0) return "0s";
  const sign = ms < 0 ? "-" : "";
  if (nanoseconds < 1e3) return `${sign}${nanoseconds}ns`;
  if (nanoseconds < 1e6) return `${sign}${fraction(nanoseconds, 3)}µs`;
  if (nanoseconds < 1e9) return `${sign}${fraction(nanoseconds, 6)}ms`;
  const minutes = Math.floor(nanoseconds / 60e9);
  const seconds = `${fraction(nanoseconds - minutes * 60e9, 9)}s`;
  if (minutes === 0) return `${sign}${seconds}`;
  const hours = Math.floor(minutes / 60);
  return `${sign}${hours > 0 ? `${hours}h` : ""}${minutes % 60}m${seconds}`;
}

/** In double quotes, with each byte that isn't printable ASCII escaped. */
function quote(text: string): string {
  const escaped = text.replace(/["\\]/g, "\\$&").replace(/[^ -\x7f]/g, (character) => {
    return [...Buffer.from(character)]
      .map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`)
      .join("");
  });
  return `"${escaped}"`;
}

/** A whole number shifted right by decimal places, without trailing zeros. */
function fraction(value: number, places: number): string {
  const digits = String(value).padStart(places + 1, "0");
  const decimals = digits.slice(-places).replace(/0+$/, "");
  return digits.slice(0, -places) + (decimals === "" ? "" : `.${decimals}`);
}
