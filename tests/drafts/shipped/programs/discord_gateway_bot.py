"""A bot of discord.py at the gateway: it synchronises its commands, hears a message, answers it and reacts to it."""

import os

import discord
from discord import app_commands

GENERAL = 1100000000000000200


class Bot(discord.Client):
    def __init__(self):
        intents = discord.Intents.default()
        intents.message_content = True
        super().__init__(intents=intents)
        self.tree = app_commands.CommandTree(self)

    async def setup_hook(self):
        @self.tree.command(description="Bake a loaf")
        async def bake(interaction: discord.Interaction, loaves: int):
            pass

        print(self.user.name, [each.name for each in await self.tree.sync()])

    async def on_ready(self):
        hook = await self.get_channel(GENERAL).create_webhook(name="ada")
        await hook.send("bake!")

    async def on_message(self, message):
        if message.author == self.user:
            print("/ reply to", message.reference.resolved.content)
            await message.reference.resolved.add_reaction("👍")
        else:
            print(f"/ {message.author.name}: {message.content}")
            await message.reply("Hello, Ada!")

    async def on_raw_reaction_add(self, payload):
        print("/", payload.emoji, "by", self.get_guild(payload.guild_id).get_member(payload.user_id).name)
        [command] = await self.tree.fetch_commands()
        options = len(command.options)
        await command.delete()
        print("/", command.name, options, await self.tree.fetch_commands())
        await self.close()


Bot().run(os.environ["DISCORD_TOKEN"], log_level=30)
