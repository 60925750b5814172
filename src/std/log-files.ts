import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";

const root = "/var/log";

/** What a browser is shown of a file or a directory. */
export interface LogFile {
  readonly contentType: string;
  readonly body: Uint8Array | string;
}

/** A file or directory below /var/log, as Go's file server shows it; undefined if it isn't there. */
export async function readLogFile(path: string): Promise<LogFile | undefined> {
  const full = await realpath(join(root, path)).catch(() => undefined);
  const inside = full !== undefined && (full === root || full.startsWith(`${root}/`));
  if (!inside) return undefined;
  if (!(await stat(full)).isDirectory()) {
    return { contentType: "text/plain; charset=utf-8", body: await readFile(full) };
  }
  const entries = await readdir(full, { withFileTypes: true });
  const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`).sort();
  const links = names.map((name) => `<a href="${encodeURI(name)}">${escapeHtml(name)}</a>\n`);
  return {
    contentType: "text/html; charset=utf-8",
    body: `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${links.join("")}</pre>\n`,
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
