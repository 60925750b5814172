/** Upstream: github.com/spf13/pflag, staging/src/k8s.io/component-base/cli/flag. */

import { goQuote } from "../go/go-quote.ts";
import { type FlagType, flagTypes } from "./flag-types.ts";

type TypeName = keyof typeof flagTypes;
type ValueOf<Type> = Type extends TypeName
  ? ReturnType<(typeof flagTypes)[Type]["parse"]>
  : Type extends FlagType<infer T>
    ? T
    : never;

interface FlagDeclaration<Type, T> {
  readonly type: Type;
  /** The type's zero value if not given. */
  readonly default?: T;
  /** One letter, for `-x`. */
  readonly shorthand?: string;
  /** Usage text; a word in backquotes names the value. */
  readonly help: string;
  /** The replacement; reported whenever the flag is used. Such a flag is hidden. */
  readonly deprecated?: string;
  /** Works, but is not in usage. */
  readonly hidden?: boolean;
  /** Other names of the same flag. */
  readonly aliases?: readonly string[];
  /** The value without an argument, for types that usually need one. */
  readonly bare?: string;
  /** The path of the field in the component's configuration file: `healthz.port`. */
  readonly config?: string;
}

/** The declaration of one flag. */
export type Flag =
  | { readonly [Name in TypeName]: FlagDeclaration<Name, ValueOf<Name>> }[TypeName]
  | FlagDeclaration<FlagType<unknown>, unknown>;

/** The flags of a program by name; declare them with `satisfies FlagSet`. */
export type FlagSet = Readonly<Record<string, Flag>>;

/** The type of the values of a set of flags. */
export type FlagValues<Flags extends FlagSet> = {
  readonly [Name in keyof Flags]: ValueOf<Flags[Name]["type"]>;
};

/** A parsed command line. */
export interface ParsedFlags<Flags extends FlagSet> {
  readonly values: FlagValues<Flags>;
  /** Names of the given flags. */
  readonly changed: ReadonlySet<string>;
  /** The arguments that are not flags. */
  readonly args: readonly string[];
  /** Number of them before `--`; undefined if there was none. */
  readonly argsBeforeDash: number | undefined;
  /** Whether `--help` or `-h` was given. */
  readonly help: boolean;
  /** The given flags with their values as written, in order. */
  readonly given: readonly (readonly [name: string, text: string])[];
  /** To be shown: uses of deprecated flags. */
  readonly warnings: readonly string[];
}

interface ParseFlagsOptions {
  /** Whether flags may follow the first argument; default true. */
  readonly interspersed?: boolean;
}

/** An invalid command line. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

const helpFlag: Flag = { type: "bool", shorthand: "h", help: "help" };

/** Parses a command line. Throws FlagError with pflag's message. */
export function parseFlags<Flags extends FlagSet>(
  flags: Flags,
  args: readonly string[],
  options: ParseFlagsOptions = {},
): ParsedFlags<Flags> {
  const parser = new Parser(flags);
  parser.run(args, options.interspersed ?? true);
  return {
    // The values have the types that Flags declares.
    values: parser.values as FlagValues<Flags>,
    changed: parser.changed,
    args: parser.args,
    argsBeforeDash: parser.argsBeforeDash,
    help: parser.help,
    given: parser.given,
    warnings: parser.warnings,
  };
}

/** The values of a set of flags without arguments. */
export function defaultValues<Flags extends FlagSet>(flags: Flags): FlagValues<Flags> {
  return parseFlags(flags, []).values;
}

/** The values of all flags as text, by name, as pflag shows them. */
export function flagTexts<Flags extends FlagSet>(
  flags: Flags,
  values: FlagValues<Flags>,
): Record<string, string> {
  const texts = Object.entries(flags).map(([name, flag]) => [
    name,
    typeOf(flag).format(values[name]),
  ]);
  return { ...Object.fromEntries(texts), help: "false" };
}

/** The type of a flag's value. */
export function typeOf(flag: Flag): FlagType<unknown> {
  return typeof flag.type === "string" ? flagTypes[flag.type] : flag.type;
}

class Parser {
  readonly values: Record<string, unknown> = {};
  readonly changed = new Set<string>();
  readonly args: string[] = [];
  readonly given: [name: string, text: string][] = [];
  readonly warnings: string[] = [];
  argsBeforeDash: number | undefined;
  help = false;
  readonly #flags: FlagSet;
  /** Flag names by their long and short forms. */
  readonly #long = new Map<string, string>([["help", "help"]]);
  readonly #short = new Map<string, string>([["h", "help"]]);

  constructor(flags: FlagSet) {
    this.#flags = flags;
    for (const [name, flag] of Object.entries(flags)) {
      this.values[name] = flag.default ?? typeOf(flag).zero;
      for (const other of [name, ...(flag.aliases ?? [])]) this.#long.set(normalize(other), name);
      if (flag.shorthand !== undefined) this.#short.set(flag.shorthand, name);
    }
  }

  run(args: readonly string[], interspersed: boolean): void {
    const rest = [...args];
    for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
      if (arg === "--") {
        this.argsBeforeDash = this.args.length;
        this.args.push(...rest);
        return;
      }
      if (arg.startsWith("--")) this.#parseLong(arg, rest);
      else if (arg.startsWith("-") && arg !== "-") this.#parseShort(arg, rest);
      else {
        this.args.push(arg);
        if (!interspersed) {
          this.args.push(...rest);
          return;
        }
      }
    }
  }

  #parseLong(arg: string, rest: string[]): void {
    if (/^--[-=]/.test(arg)) throw new FlagError(`bad flag syntax: ${arg}`);
    const equals = arg.indexOf("=");
    const given = arg.slice(2, equals < 0 ? undefined : equals);
    const name = this.#long.get(normalize(given));
    if (name === undefined) {
      if (equals < 0 && this.#parseNegated(given)) return;
      throw new FlagError(`unknown flag: --${given}`);
    }
    const value = equals < 0 ? (this.#bare(name) ?? rest.shift()) : arg.slice(equals + 1);
    if (value === undefined) throw new FlagError(`flag needs an argument: --${given}`);
    this.#set(name, value);
  }

  /** `--no-x` for a boolean flag x. */
  #parseNegated(given: string): boolean {
    const name = this.#long.get(normalize(given).replace(/^no-/, ""));
    if (name === undefined || this.#flag(name).type !== "bool") return false;
    this.#set(name, "false");
    return true;
  }

  #parseShort(arg: string, rest: string[]): void {
    for (let letters = arg.slice(1); letters !== ""; ) {
      const letter = letters[0] ?? "";
      const place = `'${letter}' in -${letters}`;
      const name = this.#short.get(letter);
      if (name === undefined) throw new FlagError(`unknown shorthand flag: ${place}`);
      const attached = letters.length > 1 ? letters.slice(1).replace(/^=(?=.)/, "") : undefined;
      const bare = /^.=./.test(letters) ? undefined : this.#bare(name);
      const value = bare ?? attached ?? rest.shift();
      if (value === undefined) throw new FlagError(`flag needs an argument: ${place}`);
      this.#set(name, value);
      letters = bare === undefined ? "" : letters.slice(1);
    }
  }

  #flag(name: string): Flag {
    return this.#flags[name] ?? helpFlag;
  }

  #bare(name: string): string | undefined {
    const flag = this.#flag(name);
    return flag.bare ?? typeOf(flag).bare;
  }

  #set(name: string, text: string): void {
    const flag = this.#flag(name);
    const previous = this.changed.has(name) ? this.values[name] : undefined;
    const value = parseValue(name, flag, text, previous);
    if (!Object.hasOwn(this.#flags, name)) {
      this.help = value === true;
      return;
    }
    this.values[name] = value;
    this.given.push([name, text]);
    this.changed.add(name);
    if (flag.deprecated !== undefined) {
      this.warnings.push(`Flag --${name} has been deprecated, ${flag.deprecated}`);
    }
  }
}

function parseValue(name: string, flag: Flag, text: string, previous: unknown): unknown {
  try {
    return typeOf(flag).parse(text, previous);
  } catch (error) {
    const shown = flag.shorthand === undefined ? `--${name}` : `-${flag.shorthand}, --${name}`;
    const reason = error instanceof Error ? error.message : String(error);
    const message = `invalid argument ${goQuote(text)} for ${goQuote(shown)} flag: ${reason}`;
    throw new FlagError(message, { cause: error });
  }
}

/** Flags may be written with underscores. */
function normalize(name: string): string {
  return name.replaceAll("_", "-");
}
