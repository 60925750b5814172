import { type Cidr, parseCidr } from "#/std/net/cidr.ts";

export type AddressFamily = 4 | 6;

/** The networks or addresses of a setting, at most one of each family: the first one's is the cluster's primary family. */
export const listed = (text: string): string[] => text.split(",").filter((one) => one !== "");

const familyOf = (text: string): AddressFamily => (text.includes(":") ? 6 : 4);

/** The families of a setting, the primary one first. */
export const familiesOf = (text: string): AddressFamily[] => listed(text).map(familyOf);

export const parsedCidrs = (text: string): Cidr[] =>
  listed(text).flatMap((one) => parseCidr(one) ?? []);
