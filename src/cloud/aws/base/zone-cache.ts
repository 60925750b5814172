/** Upstream: cloud-provider-aws pkg/providers/v1/zones.go. */
import { asError } from "#/std/base/as-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { AwsClient } from "../client/aws-client.ts";
import { describeAvailabilityZones } from "../client/ec2-operations.ts";

interface ZoneDetails {
  readonly name: string;
  /** "euc1-az2": the same zone in every account. */
  readonly id: string;
  /** "availability-zone", "local-zone", "wavelength-zone". */
  readonly type: string;
}

/** The zones of the region. They are read once, and again when an unknown one is asked for. */
export class ZoneCache {
  readonly #client: AwsClient;
  readonly #zones = new Map<string, ZoneDetails>();

  constructor(client: AwsClient) {
    this.#client = client;
  }

  async getId(name: string, signal: AbortSignal): Promise<string> {
    const found = (await this.find([name], signal)).get(name);
    if (!found) throw new Error(`Could not get zone ID from zone name ${name}`);
    return found.id;
  }

  /** The known ones of these zones, by name. */
  async find(
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ZoneDetails>> {
    if (names.some((name) => !this.#zones.has(name))) await this.#read(signal);
    const known = names.flatMap((name) => this.#zones.get(name) ?? []);
    return new Map(known.map((zone) => [zone.name, zone]));
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const zones = await this.#client.call(describeAvailabilityZones, {}, signal);
      for (const {
        zoneName: name = "",
        zoneId: id = "",
        zoneType: type = "",
      } of zones.availabilityZoneInfo) {
        this.#zones.set(name, { name, id, type });
      }
    } catch (error) {
      if (signal.aborted) throw error;
      const listing = `error listing AWS availability zones: ${goQuote(asError(error).message)}`;
      throw new Error(`error describe availability zones: ${goQuote(listing)}`, { cause: error });
    }
  }
}
