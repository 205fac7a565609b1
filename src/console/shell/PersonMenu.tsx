import { Avatar, Menu, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { paths } from "../paths.ts";
import { callFor } from "../state/call.ts";
import { forgetPerson } from "../state/person.ts";
import { useWho } from "../state/who.ts";
import { AppLink } from "./AppLink.tsx";

export function PersonMenu() {
  const { data: who } = useWho();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const email = who?.user.email ?? "";
  const signOut = async () => {
    await callFor(null)("/latest/auth/sign_out", {}).catch(() => {});
    forgetPerson();
    window.location.assign(paths.signIn("/"));
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label="Your account" className="person">
          <Avatar size={30} color="accent" radius="xl">
            {email.slice(0, 1).toUpperCase()}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" truncate>
            {email}
          </Text>
          <span dir="auto">{who?.organization.name}</span>
        </Menu.Label>
        <Menu.Item component={AppLink} to={paths.organization}>
          Organization
        </Menu.Item>
        <Menu.Item component="a" href={paths.account}>
          Your account
        </Menu.Item>
        <Menu.Item component="a" href={paths.documentation}>
          Documentation
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {(["auto", "light", "dark"] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={colorScheme === scheme}
            onClick={() => setColorScheme(scheme)}
            rightSection={colorScheme === scheme ? "✓" : null}
          >
            {{ auto: "Like the system", light: "Light", dark: "Dark" }[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
