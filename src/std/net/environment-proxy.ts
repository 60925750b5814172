import { cidrContains, parseCidr } from "./cidr.ts";
import { splitHostPort } from "./host-port.ts";
import { type Ip, isLoopback, parseNetIp, sameIp } from "./ip.ts";

/** The server of a request. */
interface ProxiedServer {
  readonly isSecure: boolean;
  /** A host name, or an IP address without brackets. */
  readonly hostname: string;
  readonly port: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The URL of the proxy that an environment names for a server (HTTPS_PROXY or HTTP_PROXY, and NO_PROXY); "" if it is
 * reached directly, as this machine always is.
 *
 * Upstream: golang.org/x/net/http/httpproxy.
 */
export function environmentProxy(server: ProxiedServer, env: Environment): string {
  const proxy = variable(env, server.isSecure ? "https_proxy" : "http_proxy");
  if (proxy === "" || isDirect(server, variable(env, "no_proxy"))) return "";
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** A variable, in lower or upper case. */
const variable = (env: Environment, name: string): string =>
  env[name] || env[name.toUpperCase()] || "";

function isDirect({ hostname, port }: ProxiedServer, exceptions: string): boolean {
  const ip = parseNetIp(hostname);
  if (hostname === "localhost" || (ip && isLoopback(ip))) return true;
  const target = { name: hostname.toLowerCase(), ip, port };
  return exceptions.split(",").some((text) => isException(text.trim().toLowerCase(), target));
}

interface Target {
  readonly name: string;
  readonly ip: Ip | undefined;
  readonly port: number;
}

/** Whether an entry of NO_PROXY is for a server: "*", a network, or an address or a domain with or without a port. */
function isException(entry: string, { name, ip, port }: Target): boolean {
  if (entry === "*") return true;
  const network = parseCidr(entry);
  if (network) return ip !== undefined && cidrContains(network, ip);
  const { host, port: wanted } = splitHostPort(entry) ?? { host: entry, port };
  if (host === "" || wanted !== port) return false;
  const address = parseNetIp(host);
  if (address || ip) return address !== undefined && ip !== undefined && sameIp(address, ip);
  const domain = host.startsWith("*.") ? host.slice(1) : host;
  return domain.startsWith(".")
    ? name.endsWith(domain)
    : name === domain || name.endsWith(`.${domain}`);
}
