import { ignored, readSettings, seconds, takeArgs, zoneName } from "./directive-words.ts";
import type {
  BlockConfig,
  DnsConfig,
  ForwardConfig,
  KubernetesConfig,
  LogClass,
  RewriteRule,
} from "./dns-config.ts";
import { readCache } from "./read-cache.ts";
import { CorefileError, type Directive, readCorefile, type ServerBlock } from "./read-corefile.ts";
import { readForward } from "./read-forward.ts";
import { readHosts } from "./read-hosts.ts";
import { readRewrite } from "./read-rewrite.ts";

/** CoreDNS' TTL of the cluster's names (s). */
const defaultTtl = 5;
/** Limit of blocks (count). */
const maxBlocks = 100;

/** The writable form of a block while it is read. */
type Draft = { -readonly [Name in keyof BlockConfig]: BlockConfig[Name] } & {
  readonly rewrites: RewriteRule[];
  readonly forwards: ForwardConfig[];
};

interface Context {
  /** The other keys of the ConfigMap. */
  readonly files: Readonly<Record<string, string>>;
  /** The port of the server: a block for another one is an error. */
  readonly port: number;
}

type ReadPlugin = (draft: Draft, plugin: Directive, context: Context) => void;

/** Settings of the process, which its flags set: they are checked, and have no effect. */
const ofProcess =
  (least: number, most: number): ReadPlugin =>
  (_, plugin) => {
    takeArgs(plugin, least, most);
    readSettings(plugin, { lameduck: ignored(1) });
  };

const once =
  (name: keyof Draft & ("hosts" | "kubernetes" | "cache"), read: ReadPlugin): ReadPlugin =>
  (draft, plugin, context) => {
    if (draft[name] !== undefined) throw new CorefileError(plugin.line, `${name} is there twice`);
    read(draft, plugin, context);
  };

/** The plugins that are supported. */
const plugins: Readonly<Record<string, ReadPlugin>> = {
  errors: (draft, plugin) => {
    takeArgs(plugin, 0, 1);
    draft.errors = true;
  },
  log: (draft, plugin) => {
    draft.log = readLog(plugin);
  },
  health: ofProcess(0, 1),
  ready: ofProcess(0, 1),
  prometheus: ofProcess(0, 1),
  reload: ofProcess(0, 2),
  // Addresses are always in a random order.
  loadbalance: ofProcess(0, 1),
  loop: (draft, plugin) => {
    takeArgs(plugin, 0);
    draft.loop = true;
  },
  rewrite: (draft, plugin) => {
    draft.rewrites.push(readRewrite(plugin));
  },
  hosts: once("hosts", (draft, plugin, { files }) => {
    const { zones = draft.zones, ...hosts } = readHosts(plugin, files);
    draft.hosts = { zones, ...hosts };
  }),
  kubernetes: once("kubernetes", (draft, plugin) => {
    draft.kubernetes = readKubernetes(draft, plugin);
  }),
  cache: once("cache", (draft, plugin) => {
    draft.cache = readCache(plugin);
  }),
  forward: (draft, plugin) => {
    draft.forwards.push(readForward(plugin));
  },
};

/** The configuration of a Corefile; throws CorefileError with the first problem. Pure. */
export function planDnsConfig(corefile: string, context: Context): DnsConfig {
  const blocks = readCorefile(corefile);
  if (blocks.length === 0) throw new CorefileError(1, "there is no block such as .:53 { … }");
  if (blocks.length > maxBlocks)
    throw new CorefileError(1, `there are more than ${maxBlocks} blocks`);
  const seen = new Set<string>();
  return { blocks: blocks.map((block) => readBlock(block, context, seen)) };
}

function readBlock(block: ServerBlock, context: Context, seen: Set<string>): BlockConfig {
  const zones = block.keys.map((key) => readKey(block, key, context.port));
  for (const zone of zones) {
    if (seen.has(zone)) throw new CorefileError(block.line, `the zone "${zone}." has two blocks`);
    seen.add(zone);
  }
  const draft: Draft = {
    zones,
    rewrites: [],
    forwards: [],
    loop: false,
    errors: false,
    log: new Set(),
  };
  for (const plugin of block.directives) {
    const read = Object.hasOwn(plugins, plugin.name) ? plugins[plugin.name] : undefined;
    if (!read) {
      const known = Object.keys(plugins).join(", ");
      throw new CorefileError(plugin.line, `unknown plugin "${plugin.name}"; there are: ${known}`);
    }
    read(draft, plugin, context);
  }
  return draft;
}

/** The zone of a key such as `dns://example.org:53`. */
function readKey({ line }: ServerBlock, key: string, port: number): string {
  const [, protocol = "dns", name = "", given] =
    /^(?:(\w+):\/\/)?([^:/]*)(?::(\d{1,5}))?$/.exec(key) ?? [];
  if (protocol !== "dns" || name === "") {
    throw new CorefileError(line, `"${key}" is no zone such as example.org:${port}`);
  }
  if (given !== undefined && Number(given) !== port) {
    throw new CorefileError(line, `"${key}": this server answers on port ${port} only`);
  }
  return zoneName({ line }, name);
}

function readKubernetes(draft: Draft, plugin: Directive): KubernetesConfig {
  const zones = plugin.args.map((zone) => zoneName(plugin, zone));
  let [ttl, pods, fallthrough]: [number, boolean, string[]] = [defaultTtl, false, []];
  readSettings(plugin, {
    ttl: (line) => {
      ttl = seconds(line, takeArgs(line, 1)[0] ?? "");
    },
    pods: (line) => {
      const [mode = ""] = takeArgs(line, 1);
      if (mode !== "disabled" && mode !== "insecure") {
        throw new CorefileError(line.line, `pods is disabled or insecure here, not ${mode}`);
      }
      pods = mode === "insecure";
    },
    fallthrough: (line) => {
      fallthrough = line.args.length === 0 ? [""] : line.args.map((zone) => zoneName(line, zone));
    },
  });
  return { zones: zones.length === 0 ? draft.zones : zones, ttl, pods, fallthrough };
}

const logClasses = ["success", "denial", "error"] as const;

/** `log [.] { class … }`: the format is that of all logs here. */
function readLog(plugin: Directive): ReadonlySet<LogClass> {
  const [zone = "."] = takeArgs(plugin, 0, 1);
  if (zone !== ".") {
    throw new CorefileError(
      plugin.line,
      "log has no names and no format here: it logs all names of its block",
    );
  }
  let classes: readonly LogClass[] = logClasses;
  readSettings(plugin, {
    class: (line) => {
      const wanted = takeArgs(line, 1, Number.POSITIVE_INFINITY);
      const unknown = wanted.find((one) => one !== "all" && !logClasses.includes(one as LogClass));
      if (unknown)
        throw new CorefileError(
          line.line,
          `"${unknown}" is no class: success, denial, error or all`,
        );
      classes = wanted.includes("all")
        ? logClasses
        : logClasses.filter((one) => wanted.includes(one));
    },
  });
  return new Set(classes);
}
