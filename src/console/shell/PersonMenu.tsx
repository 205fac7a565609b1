import { useMantineColorScheme } from "@mantine/core";
import { paths } from "../paths.ts";
import { signOut } from "../state/sign-out.ts";
import { useWho } from "../state/use-who.ts";
import { Dropdown } from "../ui/dialogs/Dropdown.tsx";
import { AppLink } from "./AppLink.tsx";

const schemes = { auto: "Like the system", light: "Light", dark: "Dark" } as const;

export function PersonMenu() {
  const { data: who } = useWho();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const email = who?.user.email ?? "";
  return (
    <Dropdown trigger={email.slice(0, 1).toUpperCase()} label="Your account" className="person" align="end">
      <div className="menu-label">
        <div className="clipped menu-email">{email}</div>
        <span dir="auto">{who?.organization.name}</span>
      </div>
      <AppLink role="menuitem" className="menu-item" to={paths.organization}>
        Organization
      </AppLink>
      <a role="menuitem" className="menu-item" href={paths.account}>
        Your account
      </a>
      <a role="menuitem" className="menu-item" href={paths.documentation}>
        Documentation
      </a>
      <hr className="menu-line" />
      <div className="menu-label">Colours</div>
      {(["auto", "light", "dark"] as const).map((scheme) => (
        <button
          key={scheme}
          type="button"
          role="menuitemradio"
          aria-checked={colorScheme === scheme}
          className="menu-item"
          onClick={() => setColorScheme(scheme)}
        >
          {schemes[scheme]}
          {colorScheme === scheme ? <span aria-hidden="true">✓</span> : null}
        </button>
      ))}
      <hr className="menu-line" />
      <button type="button" role="menuitem" className="menu-item" onClick={() => void signOut()}>
        Sign out
      </button>
    </Dropdown>
  );
}
