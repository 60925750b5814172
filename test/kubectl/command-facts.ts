/** Facts in the help of a command, without prose. */
export interface CommandFacts {
  /** Without the names of the parent commands. */
  readonly usage: string;
  readonly aliases: readonly string[];
  /** `-f, --filename=[]`: short form, name and default, which shows the type. */
  readonly flags: readonly string[];
  readonly subcommands: readonly string[];
  /** The titles of its sections, in their order. */
  readonly sections: readonly string[];
  /** The number of examples. */
  readonly examples: number;
}

/** Facts by the path of the command: `kubectl rollout status`. */
export type AllFacts = Readonly<Record<string, CommandFacts>>;

/** Returns the output of `--help` of a command, and of `kubectl options`. */
export type Ask = (args: readonly string[]) => Promise<string>;

/** Reads the facts of every command. */
export async function commandFacts(ask: Ask): Promise<AllFacts> {
  const all: Record<string, CommandFacts> = {};
  const visit = async (path: readonly string[]): Promise<void> => {
    const facts = factsOf(await ask([...path.slice(1), "--help"]));
    all[path.join(" ")] = facts;
    for (const name of facts.subcommands) await visit([...path, name]);
  };
  await visit(["kubectl"]);
  for (const hidden of ["options", "alpha"]) {
    all[`kubectl ${hidden}`] = factsOf(await ask([hidden]));
  }
  return all;
}

function factsOf(text: string): CommandFacts {
  const lines = text.split("\n");
  const after = (title: string): string => (lines[lines.indexOf(title) + 1] ?? "").trim();
  const has = (title: string): boolean => lines.includes(title);
  return {
    usage: has("Usage:") ? after("Usage:") : "",
    aliases: has("Aliases:") ? after("Aliases:").split(", ").slice(1) : [],
    flags: lines.flatMap((line) => /^ {4}((?:-\w, )?--[\w-]+=.*):$/.exec(line)?.[1] ?? []),
    subcommands: subcommandsIn(lines),
    sections: lines.filter((line) => /^[A-Z][\w ()]*:$/.test(line)),
    examples: exampleBlocks(text).length,
  };
}

/** The examples in a help: comments with the lines of a shell below them. Comments alone are no example. */
export function exampleBlocks(text: string): string[] {
  const section = /^Examples:\n([\s\S]*?)\n\n/m.exec(text)?.[1] ?? "";
  return section.split(/\n *\n/).filter((block) => /^ +[^\s#]/m.test(block));
}

/** The names below titles such as `Deploy Commands:`. */
function subcommandsIn(lines: readonly string[]): string[] {
  const names: string[] = [];
  let isList = false;
  for (const line of lines) {
    if (/^\S/.test(line)) isList = /Commands(?: \(\w+\))?:$/.test(line);
    const name = /^ {2}([a-z][\w-]*) {2,}\S/.exec(line)?.[1];
    if (isList && name !== undefined) names.push(name);
  }
  return names;
}
