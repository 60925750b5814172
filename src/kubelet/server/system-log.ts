import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { HttpProblem, type Reply } from "./reply.ts";

const root = "/var/log";

/** Files and directories below /var/log, as Go's file server shows them. */
export async function systemLog(path: string): Promise<Reply> {
  const full = await realpath(join(root, path)).catch(() => undefined);
  const inside = full !== undefined && (full === root || full.startsWith(`${root}/`));
  if (!inside) throw new HttpProblem(404, "404 page not found\n");
  if (!(await stat(full)).isDirectory()) {
    return { headers: { "content-type": "text/plain; charset=utf-8" }, body: await readFile(full) };
  }
  const entries = await readdir(full, { withFileTypes: true });
  const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`).sort();
  const links = names.map((name) => `<a href="${encodeURI(name)}">${escapeHtml(name)}</a>\n`);
  return {
    headers: { "content-type": "text/html; charset=utf-8" },
    body: `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${links.join("")}</pre>\n`,
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
