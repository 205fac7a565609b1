import { randomBytes, sign } from "node:crypto";
import {
  type Attested,
  cborBytes,
  cborInteger,
  cborList,
  cborMap,
  cborText,
} from "../../support/sign-in/authenticator.ts";
import { newCertificate, oid, sequence, tagged } from "../../support/sign-in/certificate.ts";

const es256 = cborInteger(-7);
const octets = (bytes: Buffer): Buffer => tagged(0x04, bytes);

/** "Self attestation is being used and no further action is needed": a browser may send it although none was asked for. */
export const packedSelf = ({ authData, clientDataHash, privateKey }: Attested) => ({
  fmt: "packed",
  statement: cborMap([
    [cborText("alg"), es256],
    [cborText("sig"), cborBytes(sign("sha256", Buffer.concat([authData, clientDataHash]), privateKey))],
  ]),
});

/** An Android key of a root of our own, whose certificate says at which address its revocations are. */
export const androidKeyWith =
  (revocations: string) =>
  ({ publicKey, clientDataHash }: Attested) => {
    const root = newCertificate({ isAuthority: true, subject: "a root of our own" });
    const leaf = newCertificate({
      issuer: root,
      subject: "a key of our own",
      publicKey,
      extensions: [keyDescription(clientDataHash), revocationsAt(revocations)],
    });
    return {
      fmt: "android-key",
      statement: cborMap([
        [cborText("alg"), es256],
        [cborText("sig"), cborBytes(randomBytes(70))],
        [cborText("x5c"), cborList([cborBytes(leaf.der), cborBytes(root.der)])],
      ]),
    };
  };

/** Android's own extension, with the challenge and empty lists of authorizations. */
function keyDescription(challenge: Buffer): Buffer {
  const version = tagged(0x02, Buffer.from([3]));
  const software = tagged(0x0a, Buffer.from([0]));
  const lists = [sequence(), sequence()];
  const described = sequence(
    version,
    software,
    version,
    software,
    octets(challenge),
    octets(Buffer.alloc(0)),
    ...lists,
  );
  return sequence(oid("2b06010401d679020111"), octets(described));
}

/** CRL distribution points (RFC 5280, 4.2.1.13). */
function revocationsAt(url: string): Buffer {
  const name = tagged(0xa0, tagged(0xa0, tagged(0x86, Buffer.from(url))));
  return sequence(oid("551d1f"), octets(sequence(sequence(name))));
}
