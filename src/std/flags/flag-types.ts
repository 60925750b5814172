/** Upstream: github.com/spf13/pflag and staging/src/k8s.io/component-base/cli/flag. */

import { formatDuration, parseDuration } from "../go/duration.ts";
import { goQuote } from "../go/go-quote.ts";
import { parseGoBool, parseGoFloat, parseGoInt, parseGoUint } from "../go/strconv.ts";
import { formatCidr, network, parseCidr } from "../net/cidr.ts";
import { formatIp, parseNetIp } from "../net/ip.ts";
import { formatCsvRecord, parseCsvRecord } from "../text/csv-record.ts";

/** How a flag's value is parsed and shown. */
export interface FlagType<T> {
  /** The label of the value in usage. */
  readonly label: string;
  /** The value without a default. */
  readonly zero: T;
  /** Throws with the reason. `previous` is the value of an earlier occurrence on the same line. */
  parse(text: string, previous: T | undefined): T;
  format(value: T): string;
  /** The value of the flag without an argument; such a flag takes no separate argument. */
  readonly bare?: string;
  /** A formatted default that usage does not mention; else "", "0", "false" and "<nil>". */
  readonly zeroText?: string;
}

type StringMap = Readonly<Record<string, string>>;
type BoolMap = Readonly<Record<string, boolean>>;

function int(label: string, bits: number): FlagType<number> {
  return { label, zero: 0, parse: (text) => parseGoInt(text, bits), format: String };
}

function uint(label: string, bits: number): FlagType<number> {
  return { label, zero: 0, parse: (text) => parseGoUint(text, bits), format: String };
}

const string: FlagType<string> = {
  label: "string",
  zero: "",
  parse: (text) => text,
  format: (value) => value,
};

const bool: FlagType<boolean> = {
  label: "",
  zero: false,
  parse: parseGoBool,
  format: String,
  bare: "true",
};

const float: FlagType<number> = { label: "float", zero: 0, parse: parseGoFloat, format: String };

/** In milliseconds. */
const duration: FlagType<number> = {
  label: "duration",
  zero: 0,
  parse: parseDuration,
  format: formatDuration,
  zeroText: "0s",
};

/** Adds one for each occurrence without a value. */
const count: FlagType<number> = {
  label: "count",
  zero: 0,
  parse: (text, previous = 0) => (text === "+1" ? previous + 1 : parseGoInt(text, 64)),
  format: String,
  bare: "+1",
};

/** Comma lists, joined when repeated. */
const stringSlice: FlagType<readonly string[]> = {
  label: "strings",
  zero: [],
  parse: (text, previous = []) => [...previous, ...(text === "" ? [] : parseCsvRecord(text))],
  format: (value) => `[${formatCsvRecord(value)}]`,
  zeroText: "[]",
};

/** One item per occurrence; commas are not separators. */
const stringArray: FlagType<readonly string[]> = {
  label: "stringArray",
  zero: [],
  parse: (text, previous = []) => [...previous, text],
  format: (value) => `[${formatCsvRecord(value)}]`,
  zeroText: "[]",
};

/** `a=b,c=d`, split as CSV (pflag's own). */
const stringToString: FlagType<StringMap> = {
  label: "stringToString",
  zero: {},
  parse: (text, previous = {}) => ({ ...previous, ...Object.fromEntries(csvPairs(text)) }),
  format: (value) => `[${formatCsvRecord(sortedPairs(value))}]`,
};

/** `a=b,c=d`, split at every comma (component-base's). */
const mapStringString: FlagType<StringMap> = {
  label: "mapStringString",
  zero: {},
  parse(text, previous = {}) {
    const pairs = splitPairs(text).map(([key, value]) => {
      if (value === undefined) throw new SyntaxError("malformed pair, expect string=string");
      return [key, value] as const;
    });
    return { ...previous, ...Object.fromEntries(pairs) };
  },
  format: (value) => sortedPairs(value).join(","),
};

/** `a=b,c`, with an empty value for a key alone. */
const configurationMap: FlagType<StringMap> = {
  label: "mapStringString",
  zero: {},
  parse(text, previous = {}) {
    const pairs = splitPairs(text).map(([key, value = ""]) => [key, value] as const);
    return { ...previous, ...Object.fromEntries(pairs) };
  },
  format: (value) => sortedPairs(value).join(","),
};

const mapStringBool: FlagType<BoolMap> = {
  label: "mapStringBool",
  zero: {},
  parse(text, previous = {}) {
    const pairs = splitPairs(text).map(([key, value]) => {
      if (value === undefined) throw new SyntaxError("malformed pair, expect string=bool");
      return [key, pairBool(`invalid value of ${key}: ${value}`, value)] as const;
    });
    return { ...previous, ...Object.fromEntries(pairs) };
  },
  format: (value) => sortedPairs(value).join(","),
};

/** `A=true,B=false`; the existing gates are known to FeatureGates. */
const featureGates: FlagType<BoolMap> = {
  ...mapStringBool,
  parse(text, previous = {}) {
    const pairs = splitPairs(text).map(([key, value]) => {
      if (value === undefined) throw new SyntaxError(`missing bool value for ${key}`);
      return [key, pairBool(`invalid value of ${key}=${value}`, value)] as const;
    });
    return { ...previous, ...Object.fromEntries(pairs) };
  },
};

/** In canonical form; "" if not given. */
const ip: FlagType<string> = {
  label: "ip",
  zero: "",
  parse(text, previous = "") {
    if (text === "") return previous;
    const parsed = parseNetIp(text.trim());
    if (!parsed) throw new SyntaxError(`failed to parse IP: ${goQuote(text)}`);
    return formatIp(parsed);
  },
  format: (value) => value || "<nil>",
};

/** The network in canonical form; "" if not given. */
const cidr: FlagType<string> = {
  label: "ipNet",
  zero: "",
  parse(text) {
    const parsed = parseCidr(text.trim());
    if (!parsed) throw new SyntaxError(`invalid CIDR address: ${text.trim()}`);
    return formatCidr(network(parsed));
  },
  format: (value) => value || "<nil>",
};

/** The types of flags that upstream's programs use, by name. */
export const flagTypes = {
  string,
  bool,
  int: int("int", 64),
  int32: int("int32", 32),
  uint: uint("uint", 64),
  uint16: uint("uint16", 16),
  uint32: uint("uint32", 32),
  float,
  float32: { ...float, label: "float32" },
  duration,
  count,
  stringSlice,
  stringArray,
  stringToString,
  mapStringString,
  mapStringBool,
  configurationMap,
  featureGates,
  ip,
  cidr,
} as const;

function csvPairs(text: string): (readonly [string, string])[] {
  const equals = text.split("=").length - 1;
  const pairs = equals > 1 ? parseCsvRecord(text) : [text.replace(/^"+|"+$/g, "")];
  return pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at < 0) throw new SyntaxError(`${pair} must be formatted as key=value`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}

/** The pairs of a comma list; the value is undefined without an equals sign. */
function splitPairs(text: string): (readonly [string, string | undefined])[] {
  return text
    .split(",")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const at = pair.indexOf("=");
      return at < 0
        ? [pair.trim(), undefined]
        : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    });
}

function pairBool(prefix: string, value: string): boolean {
  try {
    return parseGoBool(value);
  } catch (error) {
    throw new SyntaxError(`${prefix}, err: ${(error as Error).message}`, { cause: error });
  }
}

function sortedPairs(map: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(map)
    .map(([key, value]) => `${key}=${value}`)
    .sort();
}
