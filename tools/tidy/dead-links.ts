import { type Finding, lineAt, resolveSpecifier, type SourceFile } from "./source-file.ts";

const link = /\]\(\s*<?([^)>\s]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm;

/** Relative links of Markdown files lead to an existing file, by path from the root. */
export function checkDeadLinks(
  files: readonly SourceFile[],
  exists: (path: string) => boolean,
): Finding[] {
  return files.flatMap(({ path, text }) => {
    const prose = text.replace(/```[\s\S]*?```|`[^`\n]*`/g, (code) => code.replace(/[^\n]/g, " "));
    return [...prose.matchAll(link)].flatMap((match) => {
      const target = match[1] ?? match[2] ?? "";
      const file = target.replace(/[#?].*$/, "");
      if (file === "" || /^[a-z][a-z0-9+.-]*:/i.test(file)) return [];
      if (exists(resolveSpecifier(path, `./${file}`) ?? "")) return [];
      const message = `the link to ${target} leads nowhere: correct or delete it`;
      return [{ path, line: lineAt(text, match.index), message }];
    });
  });
}
