//! A QUIC handshake without cryptography: messages of the sizes that TLS 1.3 has, transport parameters, and packets whose seals protect nothing.
//!
//! What a packet carries stays readable, and no processor time is spent on ciphers. Sizes on the line are those of AES-GCM.

use std::any::Any;
use std::sync::Arc;

use bytes::BytesMut;
use quinn_proto::crypto::{
    AeadKey, ClientConfig, CryptoError, ExportKeyingMaterialError, HandshakeTokenKey, HeaderKey, HmacKey, KeyPair,
    Keys, PacketKey, ServerConfig, Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};

/// Seal of a packet: an authentication tag of AEAD_AES_128_GCM (RFC 9001 section 5.3).
pub const SEAL_BYTES: usize = 16;

/// Bytes of ciphertext that protect a header (RFC 9001 section 5.4.2).
const SAMPLE_BYTES: usize = 16;

/// Size of a `Finished` message with SHA-256 (RFC 8446 section 4.4.4).
const FINISHED_BYTES: usize = 36;

/// Length of a message, and of the transport parameters in it, as they are written here.
const PREFIX_BYTES: usize = 4;

/// Sizes of the handshake's messages.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The first message of the client.
    pub client_hello: usize,
    /// All messages of the server together, with its certificates.
    pub server_flight: usize,
}

/// Both ends' configuration.
pub struct PlainText(pub Sizes);

impl ClientConfig for PlainText {
    fn start_session(
        self: Arc<Self>,
        _version: u32,
        _server: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Box::new(Handshake::new(self.0, Side::Client, parameters)))
    }
}

impl ServerConfig for PlainText {
    fn initial_keys(&self, _version: u32, _destination: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }

    fn retry_tag(&self, _version: u32, _destination: &ConnectionId, _packet: &[u8]) -> [u8; 16] {
        [0; 16]
    }

    fn start_session(self: Arc<Self>, _version: u32, parameters: &TransportParameters) -> Box<dyn Session> {
        Box::new(Handshake::new(self.0, Side::Server, parameters))
    }
}

/// Steps of an end: what it has written, and what it has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The client writes its hello, or the server waits for it.
    Hello,
    /// Keys for packets of the handshake are due.
    HandshakeKeys,
    /// The server writes its flight, or the client waits for it.
    Flight,
    /// Keys for packets with data are due.
    DataKeys,
    /// The server waits for the client's last message.
    Finished,
    Done,
}

struct Handshake {
    sizes: Sizes,
    side: Side,
    step: Step,
    own: Vec<u8>,
    peer: Option<TransportParameters>,
    read: Vec<u8>,
}

impl Handshake {
    fn new(sizes: Sizes, side: Side, parameters: &TransportParameters) -> Self {
        let mut own = Vec::new();
        parameters.write(&mut own);
        Self { sizes, side, step: Step::Hello, own, peer: None, read: Vec::new() }
    }

    /// Writes a message of at least `size` bytes that carries `contents`.
    #[expect(clippy::cast_possible_truncation, reason = "messages are declared with less than 64 KiB")]
    fn write(buffer: &mut Vec<u8>, size: usize, contents: &[u8]) {
        let size = size.max(PREFIX_BYTES + contents.len());
        let begin = buffer.len();
        buffer.extend((size as u16).to_be_bytes());
        buffer.extend((contents.len() as u16).to_be_bytes());
        buffer.extend(contents);
        buffer.resize(begin + size, 0);
    }

    /// Takes the contents of a message, once it has arrived whole.
    fn take(&mut self) -> Option<Vec<u8>> {
        let number = |at: usize| Some(usize::from(u16::from_be_bytes([*self.read.get(at)?, *self.read.get(at + 1)?])));
        let (size, length) = (number(0)?, number(2)?);
        let is_whole = self.read.len() >= size && size >= PREFIX_BYTES + length;
        is_whole.then(|| {
            let message: Vec<_> = self.read.drain(..size).collect();
            message[PREFIX_BYTES..PREFIX_BYTES + length].to_vec()
        })
    }

    fn learn(&mut self, parameters: &[u8]) -> Result<(), TransportError> {
        self.peer = Some(TransportParameters::read(self.side, &mut &*parameters)?);
        Ok(())
    }
}

impl Session for Handshake {
    fn initial_keys(&self, _destination: &ConnectionId, _side: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.peer.as_ref().map(|_| Box::new(()) as Box<dyn Any>)
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        Some(false)
    }

    fn is_handshaking(&self) -> bool {
        self.step != Step::Done
    }

    fn read_handshake(&mut self, message: &[u8]) -> Result<bool, TransportError> {
        self.read.extend(message);
        match (self.side, self.step) {
            (Side::Server, Step::Hello) | (Side::Client, Step::Flight) => {
                let Some(parameters) = self.take() else { return Ok(false) };
                self.learn(&parameters)?;
                self.step = if self.side.is_server() { Step::HandshakeKeys } else { Step::DataKeys };
                Ok(true)
            }
            // The beginning of the server's messages lets the client read the rest of them.
            (Side::Client, Step::HandshakeKeys) => Ok(false),
            (Side::Server, Step::Finished) => {
                if self.take().is_some() {
                    self.step = Step::Done;
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(self.peer)
    }

    fn write_handshake(&mut self, buffer: &mut Vec<u8>) -> Option<Keys> {
        match (self.side, self.step) {
            (Side::Client, Step::Hello) => {
                Self::write(buffer, self.sizes.client_hello, &self.own);
                self.step = Step::HandshakeKeys;
                None
            }
            // The server's hello, in a packet of its own kind, makes the keys.
            (Side::Server, Step::HandshakeKeys) => {
                Self::write(buffer, SERVER_HELLO_BYTES, &[]);
                self.step = Step::Flight;
                Some(keys())
            }
            (Side::Client, Step::HandshakeKeys) => {
                self.take()?;
                self.step = Step::Flight;
                Some(keys())
            }
            (Side::Server, Step::Flight) => {
                let rest = self.sizes.server_flight.saturating_sub(SERVER_HELLO_BYTES);
                Self::write(buffer, rest, &self.own);
                self.step = Step::Finished;
                Some(keys())
            }
            (Side::Client, Step::DataKeys) => {
                Self::write(buffer, FINISHED_BYTES, &[]);
                self.step = Step::Done;
                Some(keys())
            }
            _ => None,
        }
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(KeyPair { local: Box::new(Seal), remote: Box::new(Seal) })
    }

    fn is_valid_retry(&self, _destination: &ConnectionId, _header: &[u8], _payload: &[u8]) -> bool {
        false
    }

    fn export_keying_material(
        &self,
        _output: &mut [u8],
        _label: &[u8],
        _context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}

/// Size of a `ServerHello` with an X25519 key share (RFC 8446 section 4.1.3).
const SERVER_HELLO_BYTES: usize = 90;

fn keys() -> Keys {
    Keys {
        header: KeyPair { local: Box::new(Seal), remote: Box::new(Seal) },
        packet: KeyPair { local: Box::new(Seal), remote: Box::new(Seal) },
    }
}

/// A key that hides nothing and takes the room that a real one takes.
struct Seal;

impl HeaderKey for Seal {
    fn decrypt(&self, _number_at: usize, _packet: &mut [u8]) {}

    fn encrypt(&self, _number_at: usize, _packet: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        SAMPLE_BYTES
    }
}

impl PacketKey for Seal {
    fn encrypt(&self, _number: u64, _packet: &mut [u8], _header_bytes: usize) {}

    fn decrypt(&self, _number: u64, _header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let length = payload.len().checked_sub(SEAL_BYTES).ok_or(CryptoError)?;
        payload.truncate(length);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        SEAL_BYTES
    }

    /// Packets that may be sealed with one key (RFC 9001 section 6.6).
    fn confidentiality_limit(&self) -> u64 {
        1 << 23
    }

    fn integrity_limit(&self) -> u64 {
        1 << 52
    }
}

impl HmacKey for Seal {
    /// No packet ends like that, so none is taken for a stateless reset.
    fn sign(&self, _data: &[u8], signature: &mut [u8]) {
        signature.fill(u8::MAX);
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, _data: &[u8], _signature: &[u8]) -> Result<(), CryptoError> {
        Ok(())
    }
}

impl HandshakeTokenKey for Seal {
    fn aead_from_hkdf(&self, _random: &[u8]) -> Box<dyn AeadKey> {
        Box::new(Self)
    }
}

impl AeadKey for Seal {
    fn seal(&self, data: &mut Vec<u8>, _additional: &[u8]) -> Result<(), CryptoError> {
        data.extend([0; SEAL_BYTES]);
        Ok(())
    }

    fn open<'a>(&self, data: &'a mut [u8], _additional: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        let length = data.len().checked_sub(SEAL_BYTES).ok_or(CryptoError)?;
        Ok(&mut data[..length])
    }
}

/// A key for stateless resets, which nobody sends here.
pub fn reset_key() -> Arc<dyn HmacKey> {
    Arc::new(Seal)
}

/// A key for tokens, which nobody forges here.
pub fn token_key() -> Arc<dyn HandshakeTokenKey> {
    Arc::new(Seal)
}
