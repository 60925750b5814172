/** Zones by the names that are in use today; old names and links are not among them. */
const current: ReadonlySet<string> = new Set(Intl.supportedValuesOf("timeZone"));
const currentLowerCase: ReadonlySet<string> = new Set(
  [...current].map((name) => name.toLowerCase()),
);

/** Whether a name is that of a time zone in the IANA's database; names are case-sensitive there, unlike in Intl. */
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
