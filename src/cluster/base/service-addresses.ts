/** The address of the cluster's DNS: the tenth of the service network, as in kubeadm. */
export function dnsAddress(serviceCidr: string): string {
  return addressAt(serviceCidr, 10);
}

/** The address of the API server inside the cluster: the first of the service network. */
export function apiAddress(serviceCidr: string): string {
  return addressAt(serviceCidr, 1);
}

function addressAt(cidr: string, offset: number): string {
  const [base = ""] = cidr.split("/");
  const value = base.split(".").reduce((sum, part) => sum * 256 + Number(part), 0) + offset;
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}
