import { constants, type Stats } from "node:fs";
import { type FileHandle, open, readdir, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";

/** A file or a directory listing for a browser. */
interface LogFile {
  readonly contentType: string;
  /** A file is read while it is sent, up to its size at the request. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * A file or directory below /var/log, as Go's file server shows it; undefined if it can't be read.
 */
export async function readLogFile(
  path: string,
  directory = "/var/log",
): Promise<LogFile | undefined> {
  const root = await realpath(directory).catch(() => directory);
  const state = await statOf(root, path);
  if (state?.isDirectory()) {
    return { contentType: "text/html; charset=utf-8", body: listOf(root, path) };
  }
  // Pipes and the like may never end.
  if (!state?.isFile()) return undefined;
  return { contentType: "text/plain; charset=utf-8", body: contentOf(root, path, state.size) };
}

async function statOf(root: string, path: string): Promise<Stats | undefined> {
  await using handle = await openBelow(root, path);
  return await handle?.stat();
}

/**
 * Opens a path without waiting for pipes. Links are followed as long as they lead to a file below the root: the opened
 * file is checked, so that a link that is changed meanwhile makes no difference.
 */
async function openBelow(root: string, path: string): Promise<FileHandle | undefined> {
  try {
    const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;
    const handle = await open(join(root, path), O_RDONLY | O_NONBLOCK | O_NOCTTY);
    const full = await readlink(`/proc/self/fd/${handle.fd}`);
    if (full === root || full.startsWith(`${root}/`)) return handle;
    await handle.close();
  } catch {
    // It doesn't exist, or can't be read.
  }
  return undefined;
}

async function* contentOf(
  root: string,
  path: string,
  sizeBytes: number,
): AsyncGenerator<Uint8Array> {
  await using file = await openBelow(root, path);
  if (!file || sizeBytes === 0 || !(await file.stat()).isFile()) return;
  yield* file.createReadStream({ end: sizeBytes - 1, autoClose: false });
}

async function* listOf(root: string, path: string): AsyncGenerator<Uint8Array> {
  await using directory = await openBelow(root, path);
  if (!directory) return;
  const entries = await readdir(`/proc/self/fd/${directory.fd}`, { withFileTypes: true });
  const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`).sort();
  const links = names.map((name) => `<a href="${linkTo(name)}">${escapeHtml(name)}</a>\n`);
  const head = '<!doctype html>\n<meta name="viewport" content="width=device-width">\n';
  yield Buffer.from(`${head}<pre>\n${links.join("")}</pre>\n`);
}

const linkTo = (name: string): string => encodeURI(name).replace(/[?#]/g, encodeURIComponent);

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
