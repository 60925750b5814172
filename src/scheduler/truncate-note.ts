/** Limit of an Event's note (characters): the API rejects longer ones. */
const maxNoteBytes = 1024;

/** A note truncated to the limit of Events. */
export function truncateNote(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= maxNoteBytes) return note;
  const suffix = " ...";
  return bytes.subarray(0, maxNoteBytes - suffix.length).toString() + suffix;
}
