/** Upstream: Go's encoding/csv, by which flags split lists at commas. */

/** The fields of one record, up to the end of its line. Throws SyntaxError with Go's message. */
export function parseCsvRecord(text: string): string[] {
  const fields: string[] = [];
  for (let position = 0; ; ) {
    const quoted = text[position] === '"';
    const { field, end } = quoted ? quotedField(text, position) : plainField(text, position);
    fields.push(field);
    if (text[end] !== ",") return fields;
    position = end + 1;
  }
}

/** One record, quoted as needed. */
export function formatCsvRecord(fields: readonly string[]): string {
  return fields.map((field) => (needsQuotes(field) ? quote(field) : field)).join(",");
}

interface Field {
  readonly field: string;
  /** Offset of the next comma, or of the end of the record. */
  readonly end: number;
}

function plainField(text: string, start: number): Field {
  const field = /[^,\r\n]*/.exec(text.slice(start))?.[0] ?? "";
  const bare = field.indexOf('"');
  if (bare >= 0) throw failure(start + bare, 'bare " in non-quoted-field');
  return { field, end: start + field.length };
}

function quotedField(text: string, start: number): Field {
  const content = /^(?:[^"]|"")*/.exec(text.slice(start + 1))?.[0] ?? "";
  const close = start + 1 + content.length;
  const end = close + 1;
  if (close === text.length || !/^([,\r\n]|$)/.test(text.slice(end))) {
    throw failure(close, 'extraneous or missing " in quoted-field');
  }
  return { field: content.replaceAll('""', '"'), end };
}

function failure(index: number, reason: string): SyntaxError {
  return new SyntaxError(`parse error on line 1, column ${index + 1}: ${reason}`);
}

function needsQuotes(field: string): boolean {
  return field === "\\." || /[",\r\n]|^\s/.test(field);
}

function quote(field: string): string {
  return `"${field.replaceAll('"', '""')}"`;
}
