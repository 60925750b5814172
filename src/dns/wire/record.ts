/** Record types with a name; others are numbers. */
export const recordTypes = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
} as const;

/** Response codes. */
export const rcodes = {
  NoError: 0,
  FormErr: 1,
  ServFail: 2,
  NXDomain: 3,
  NotImp: 4,
  Refused: 5,
  BadVers: 16,
} as const;

export type Rcode = (typeof rcodes)[keyof typeof rcodes];

/** A record without its class, which is IN. Names have no final dot. */
export type DnsRecord = { readonly name: string; readonly ttl: number } & RecordData;

type RecordData =
  | { readonly type: "A" | "AAAA"; readonly address: string }
  | { readonly type: "NS" | "CNAME" | "PTR"; readonly target: string }
  | { readonly type: "TXT"; readonly text: string }
  | {
      readonly type: "SRV";
      readonly priority: number;
      readonly weight: number;
      readonly port: number;
      readonly target: string;
    }
  | {
      readonly type: "SOA";
      readonly primary: string;
      readonly mailbox: string;
      readonly serial: number;
      readonly refresh: number;
      readonly retry: number;
      readonly expire: number;
      readonly minimum: number;
    };

/** An answer to a question. */
export interface DnsAnswer {
  readonly rcode: Rcode;
  readonly authoritative: boolean;
  readonly answers: readonly DnsRecord[];
  readonly authority: readonly DnsRecord[];
  readonly additional: readonly DnsRecord[];
}
