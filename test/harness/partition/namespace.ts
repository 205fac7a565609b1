import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { findProgram } from "../frame/find-program.ts";
import { CannotRun } from "../frame/harness.ts";

export type Direction = "both ways" | "to the node" | "from the node";

/** A machine of its own as far as the network knows: a network namespace with one cable to ours. */
export class Namespace {
  readonly name: string;
  /** The addresses at the two ends of the cable. */
  readonly inside: string;
  readonly outside: string;
  readonly ip: string;
  readonly #nft: string;

  constructor() {
    const [ip, nft] = [findProgram("ip"), findProgram("nft")];
    if (!ip || !nft) throw new CannotRun("this machine lacks ip or nft");
    if (process.getuid?.() !== 0) throw new CannotRun("network namespaces need root");
    this.ip = ip;
    this.#nft = nft;
    const number = randomInt(1, 250);
    this.name = `signalbox-${process.pid}-${number}`;
    this.inside = `10.231.${number}.2`;
    this.outside = `10.231.${number}.1`;
    const [near, far] = [`sbx${number}a`, `sbx${number}b`];
    try {
      this.#run("netns", "add", this.name);
      this.#run("link", "add", near, "type", "veth", "peer", "name", far);
      this.#run("link", "set", far, "netns", this.name);
      this.#run("addr", "add", `${this.outside}/24`, "dev", near);
      this.#run("link", "set", near, "up");
      this.#run("-n", this.name, "addr", "add", `${this.inside}/24`, "dev", far);
      this.#run("-n", this.name, "link", "set", far, "up");
      this.#run("-n", this.name, "link", "set", "lo", "up");
    } catch (error) {
      this.remove();
      throw new CannotRun(`this machine allows no network namespaces: ${error}`);
    }
  }

  /** From now on packets to and from these ports of ours vanish, without a word to either side. */
  cut(ports: readonly number[], direction: Direction): void {
    const set = `{ ${ports.join(", ")} }`;
    const arriving = `chain arriving { type filter hook input priority 0; tcp sport ${set} drop; }`;
    const leaving = `chain leaving { type filter hook output priority 0; tcp dport ${set} drop; }`;
    const chains = { "both ways": [arriving, leaving], "to the node": [arriving], "from the node": [leaving] }[
      direction
    ];
    const rules = `table inet cut {\n${chains.join("\n")}\n}\n`;
    execFileSync(this.ip, ["netns", "exec", this.name, this.#nft, "-f", "-"], { input: rules });
  }

  heal(): void {
    this.#run("netns", "exec", this.name, this.#nft, "flush", "ruleset");
  }

  /** The cable goes with it. */
  remove(): void {
    try {
      this.#run("netns", "del", this.name);
    } catch {
      // It was not there, or a process is still in it: the system removes it with that process.
    }
  }

  #run(...args: string[]): void {
    execFileSync(this.ip, args, { stdio: ["ignore", "ignore", "pipe"] });
  }
}
