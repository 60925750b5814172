import { isProduction } from "./import-graph.ts";
import { type Finding, lineAt, type SourceFile } from "./source-file.ts";

const home = "src/api/base/kubernetes-version.ts";

/** The version of Kubernetes is written in one file. Comments may name it. */
export function checkVersionLiterals(files: readonly SourceFile[]): Finding[] {
  const text = files.find(({ path }) => path === home)?.text ?? "";
  const minor = /"v(\d+\.\d+)\.\d+"/.exec(text)?.[1];
  if (minor === undefined) return [{ path: home, line: 1, message: "states no version" }];
  const literal = new RegExp(
    `["'\`][^"'\`\\n]*(?<![\\d.])${minor.replace(".", "\\.")}(?!\\d)`,
    "g",
  );
  return files
    .filter((file) => isProduction(file) && file.path !== home)
    .flatMap(({ path, text: source }) =>
      [...withoutComments(source).matchAll(literal)].map((match) => ({
        path,
        line: lineAt(source, match.index),
        message: `the version is stated in ${home}: import it`,
      })),
    );
}

/** Comments become blanks, so that positions stay. */
function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) =>
    comment.replace(/[^\n]/g, " "),
  );
}
