/** Zones by their current names, without old names and links. */
const current: ReadonlySet<string> = new Set(Intl.supportedValuesOf("timeZone"));
const currentLowerCase: ReadonlySet<string> = new Set(
  [...current].map((name) => name.toLowerCase()),
);

/**
 * Whether a name is in the IANA time zone database, where names are case-sensitive, unlike in Intl.
 */
export function isTimeZone(name: string): boolean {
  if (name === "" || name === "UTC" || name === "Local" || current.has(name)) return true;
  if (currentLowerCase.has(name.toLowerCase())) return false;
  if (!/^[A-Z][^/:]*(\/[A-Z][^/:]*)*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
