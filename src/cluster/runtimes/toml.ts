/** A file in TOML of tables with values that JSON can express. */
export function tomlText(
  head: Readonly<Record<string, unknown>>,
  tables: readonly (readonly [name: string, values: Readonly<Record<string, unknown>>])[],
): string {
  return [lines(head), ...tables.map(([name, values]) => `[${name}]\n${lines(values)}`)].join("\n");
}

const lines = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`)
    .join("");
