/** A folder to build, and the arguments. */
export interface TreeCase {
  readonly name: string;
  /** Files, each after a line `## PATH`; `## PATH -> TARGET` is a symbolic link; one that begins with `#!` can be run. */
  readonly tree: string;
  /** The arguments after `kubectl kustomize`; default the folder itself. */
  readonly args?: readonly string[];
}

/** The answer of upstream's kubectl; the folder of the case is $DIR in it. */
export interface TreeAnswer {
  readonly name: string;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The written files, if there are any. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface TreeFile {
  readonly path: string;
  readonly text: Buffer;
  readonly link: string | undefined;
}

/** The files of a tree. */
export function filesOf(tree: string): TreeFile[] {
  return tree
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf("\n");
      const [path = "", link] = part.slice(0, end).split(" -> ");
      return { path, text: decode(part.slice(end + 1)), link };
    });
}

/** The prefix `base64:` of a text stands for bytes; the file must contain nothing else. */
function decode(text: string): Buffer {
  return text.startsWith("base64:")
    ? Buffer.from(text.slice("base64:".length).trim(), "base64")
    : Buffer.from(text);
}
