import { parseIp } from "#/std/net/ip.ts";
import {
  duration,
  ignored,
  readSettings,
  takeArgs,
  wholeNumber,
  zoneName,
} from "./directive-words.ts";
import type { ForwardConfig, Upstream } from "./dns-config.ts";
import { CorefileError, type Directive } from "./read-corefile.ts";

/** Limits of upstream servers (count), as CoreDNS has it, and of waiting queries unless the file sets one. */
const maxUpstreams = 15;
const defaultConcurrent = 1000;
/** Limit of max_concurrent (count): each query has a socket. */
const mostConcurrent = 10_000;
const defaultTimeoutMs = 2000;
const ports = { dns: 53, tls: 853 } as const;

/** The file that means the servers of the node. */
const resolvConf = "/etc/resolv.conf";

/** `forward FROM TO... { … }`. */
export function readForward(plugin: Directive): ForwardConfig {
  const [from = "", ...to] = takeArgs(plugin, 2, 1 + maxUpstreams);
  let [except, tlsName, maxConcurrent, timeoutMs]: [string[], string | undefined, number, number] =
    [[], undefined, defaultConcurrent, defaultTimeoutMs];
  let policy: ForwardConfig["policy"] = "random";
  let transport: ForwardConfig["transport"] = "udp";
  readSettings(plugin, {
    except: (line) => {
      except = takeArgs(line, 1, Number.POSITIVE_INFINITY).map((name) => zoneName(line, name));
    },
    force_tcp: (line) => {
      takeArgs(line, 0);
      transport = "tcp";
    },
    // Questions are sent by UDP first anyway.
    prefer_udp: ignored(0),
    // Connections are not kept, and a server that fails is avoided for a while.
    expire: ignored(1),
    max_age: ignored(1),
    max_idle_conns: ignored(1),
    max_fails: ignored(1),
    health_check: ignored(1, 4),
    read_timeout: (line) => {
      timeoutMs = duration(line, takeArgs(line, 1)[0] ?? "");
    },
    tls: (line) => {
      if (line.args.length > 0) {
        throw new CorefileError(
          line.line,
          "tls has no files here: the machine's authorities are used",
        );
      }
    },
    tls_servername: (line) => {
      tlsName = zoneName(line, takeArgs(line, 1)[0] ?? "");
    },
    policy: (line) => {
      policy = readPolicy(line);
    },
    max_concurrent: (line) => {
      const most = wholeNumber(line, takeArgs(line, 1)[0] ?? "", { most: mostConcurrent });
      maxConcurrent = most === 0 ? mostConcurrent : most;
    },
  });
  return {
    from: zoneName(plugin, from),
    except,
    upstreams: to
      .filter((one) => one !== resolvConf)
      .map((one) => readUpstream(plugin, one, tlsName)),
    usesResolvConf: to.includes(resolvConf),
    policy,
    transport,
    maxConcurrent,
    timeoutMs,
  };
}

function readPolicy(line: Directive): ForwardConfig["policy"] {
  const [policy] = takeArgs(line, 1);
  if (policy === "random" || policy === "round_robin" || policy === "sequential") return policy;
  throw new CorefileError(line.line, `policy is random, round_robin or sequential, not ${policy}`);
}

/** `[dns://|tls://]ADDRESS[:PORT]`, with `%NAME` for the name in a server's certificate. */
function readUpstream({ line }: Directive, text: string, tlsName: string | undefined): Upstream {
  const [, protocol = "dns", rest = ""] = /^(?:(\w+):\/\/)?(.*)$/.exec(text) ?? [];
  if (protocol !== "dns" && protocol !== "tls") {
    throw new CorefileError(line, `${text}: the protocols are dns:// and tls://`);
  }
  const [address = "", name] = rest.split("%");
  const { host, port = ports[protocol] } = splitAddress(address);
  if (!parseIp(host) || port < 1 || port > 65_535) {
    throw new CorefileError(line, `${text} is no address such as 10.0.0.1:53, nor ${resolvConf}`);
  }
  return { host, port, ...(protocol === "tls" ? { tlsName: name ?? tlsName ?? host } : {}) };
}

function splitAddress(text: string): { readonly host: string; readonly port?: number } {
  if (parseIp(text)) return { host: text };
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? "";
  return port === undefined ? { host } : { host, port: Number(port) };
}
