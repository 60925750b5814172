/** Events hold no longer notes. */
const maxNoteBytes = 1024;

/** A note cut to what events hold. */
export function truncateNote(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= maxNoteBytes) return note;
  const suffix = " ...";
  return bytes.subarray(0, maxNoteBytes - suffix.length).toString() + suffix;
}
