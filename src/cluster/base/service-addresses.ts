import { addressAt } from "#/std/net/cidr.ts";
import { formatIp } from "#/std/net/ip.ts";
import { parsedCidrs } from "./address-families.ts";

/** The address of the cluster's DNS: the tenth of the primary service network, as in kubeadm. */
export function dnsAddress(serviceCidr: string): string {
  return addressesAt(serviceCidr, 10)[0] ?? "";
}

/** The addresses of the API server inside the cluster: the first of each service network. */
export function apiAddresses(serviceCidr: string): string[] {
  return addressesAt(serviceCidr, 1);
}

const addressesAt = (serviceCidr: string, index: number): string[] =>
  parsedCidrs(serviceCidr).map((cidr) => formatIp(addressAt(cidr, index)));
