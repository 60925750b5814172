import { type FileHandle, open } from "node:fs/promises";

/** Size of a read (bytes): some hundred lines. */
const chunkBytes = 64 * 1024;
const newline = 0x0a;

/** The lines of a file up to an offset, from the last to the first, read on demand. A missing file has none. */
export async function* linesBackward(path: string, end: number): AsyncGenerator<string> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (!file) return;
  try {
    yield* backward(file, end);
  } finally {
    await file.close();
  }
}

async function* backward(file: FileHandle, end: number): AsyncGenerator<string> {
  /** The end of a line whose beginning is not read yet. */
  let rest = Buffer.alloc(0);
  let isLast = true;
  for (let at = end; at > 0; ) {
    const length = Math.min(chunkBytes, at);
    at -= length;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
    let text = Buffer.concat([buffer.subarray(0, bytesRead), rest]);
    for (let cut = text.lastIndexOf(newline); cut >= 0; cut = text.lastIndexOf(newline)) {
      const line = text.subarray(cut + 1).toString();
      // Empty text after the last newline is no line.
      if (!isLast || line !== "") yield line;
      isLast = false;
      text = text.subarray(0, cut);
    }
    rest = text;
  }
  if (rest.length > 0 || !isLast) yield rest.toString();
}
