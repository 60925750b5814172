import { constants } from "node:fs";
import { access, open, readdir, realpath, stat } from "node:fs/promises";
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
  const root = await found(directory);
  const full = await found(join(directory, path));
  const inside = full !== undefined && (full === root || full.startsWith(`${root}/`));
  if (!inside) return undefined;
  const state = await stat(full).catch(() => undefined);
  if (state?.isDirectory()) {
    return { contentType: "text/html; charset=utf-8", body: listOf(full) };
  }
  // Pipes and the like may never end.
  if (!state?.isFile()) return undefined;
  return { contentType: "text/plain; charset=utf-8", body: contentOf(full, state.size) };
}

/** The real path; undefined if it doesn't exist, or can't be read. */
async function found(path: string): Promise<string | undefined> {
  try {
    const full = await realpath(path);
    await access(full, constants.R_OK);
    return full;
  } catch {
    return undefined;
  }
}

async function* contentOf(file: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  if (sizeBytes === 0) return;
  await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  yield* handle.createReadStream({ end: sizeBytes - 1, autoClose: false });
}

async function* listOf(directory: string): AsyncGenerator<Uint8Array> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`).sort();
  const links = names.map((name) => `<a href="${linkTo(name)}">${escapeHtml(name)}</a>\n`);
  const head = '<!doctype html>\n<meta name="viewport" content="width=device-width">\n';
  yield Buffer.from(`${head}<pre>\n${links.join("")}</pre>\n`);
}

const linkTo = (name: string): string => encodeURI(name).replace(/[?#]/g, encodeURIComponent);

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
