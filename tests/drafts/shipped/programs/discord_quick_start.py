"""What discord.py's documentation begins with, without the gateway."""

import asyncio
import os

import discord


async def main() -> None:
    client = discord.Client(intents=discord.Intents.default())
    async with client:
        await client.login(os.environ["DISCORD_TOKEN"])
        print(client.user.name)
        guilds = [guild async for guild in client.fetch_guilds()]
        guild = await client.fetch_guild(guilds[0].id)
        channel = next(each for each in await guild.fetch_channels() if each.name == "general")
        channel = await client.fetch_channel(channel.id)
        message = await channel.send("Hello!")
        await message.edit(content="Hello, all!")
        await message.add_reaction("👍")
        await message.pin()
        role = await guild.create_role(name="bakers")
        member = await guild.fetch_member(1100000000000000010)
        await member.add_roles(role)
        shown = await client.http.get_member(guild.id, member.id)
        print([each == str(role.id) for each in shown["roles"]], member.name)
        hook = await channel.create_webhook(name="oven")
        told = await hook.send("Done", wait=True)
        print([(each.content, each.pinned, [str(r.emoji) for r in each.reactions]) async for each in channel.history()])
        await (await channel.fetch_message(told.id)).delete()
        try:
            await client.fetch_channel(7)
        except discord.NotFound as error:
            print(error.code, error.text)


asyncio.run(main())
