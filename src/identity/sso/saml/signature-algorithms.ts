import { samlRefused } from "./saml-refused.ts";
import { elementsOf, localOf, type XmlElement } from "./scan-xml.ts";

/**
 * RSA signatures with SHA-256 or SHA-512 over canonical XML; no older algorithms, and none with another kind of key.
 */
const algorithms = new Set([
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1",
  "http://www.w3.org/2001/04/xmlenc#sha256",
  "http://www.w3.org/2001/04/xmlenc#sha512",
  "http://www.w3.org/2001/10/xml-exc-c14n#",
  "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
  "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
]);

export function refuseOtherAlgorithms(root: XmlElement): void {
  for (const { attributes } of elementsOf(root)) {
    for (const [name, value] of attributes) {
      // An unknown spelling of an algorithm is refused too.
      if (localOf(name) === "Algorithm" && !algorithms.has(value)) {
        throw samlRefused("The response is signed in a way that is not accepted, such as with SHA-1.");
      }
    }
  }
}
